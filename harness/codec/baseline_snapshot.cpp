#include "harness/codec/baseline_snapshot.h"

#include "harness/codec/atomic_file.h"
#include "harness/codec/campaign_json.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "traceml-bench/baselines/1";

PinnedBaseline baseline_of_json(const Json& json) {
  PinnedBaseline baseline;
  baseline.pin = whole_number_of(json.at("pin"));
  baseline.stored = whole_number_of(json.at("stored"));
  for (const Json& one : json.at("campaigns")) {
    baseline.campaigns.push_back(campaign_of_json(one));
    baseline.campaigns.back().name = one.at("name").get<std::string>();
  }
  return baseline;
}

}  // namespace

void write_baselines(const std::string& path,
                     const std::map<std::string, PinnedBaseline>& baselines) {
  Json stores = Json::object();
  for (const auto& [store, baseline] : baselines) {
    Json campaigns = Json::array();
    for (const CampaignRecord& campaign : baseline.campaigns) {
      Json one = {{"name", campaign.name}};
      one.update(campaign_json(campaign));
      campaigns.push_back(std::move(one));
    }
    stores[store] = {
        {"pin", baseline.pin}, {"stored", baseline.stored}, {"campaigns", std::move(campaigns)}};
  }
  write_file_atomically(path, sealed({{"schema", kSchema}, {"stores", std::move(stores)}}).text);
}

std::map<std::string, PinnedBaseline> read_baselines(const std::string& path) {
  const Json json = read_sealed(path, kSchema).json;
  std::map<std::string, PinnedBaseline> baselines;
  try {
    for (const auto& [store, baseline] : json.at("stores").items()) {
      baselines[store] = baseline_of_json(baseline);
    }
  } catch (const Json::exception&) {
    throw RunError(path + " lacks what the baselines of a campaign hold");
  } catch (const UsageError& error) {
    throw RunError(path + " holds no campaigns: " + error.what());
  }
  return baselines;
}

}  // namespace traceml
