#include "harness/codec/baseline_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "harness/codec/atomic_file.h"
#include "harness/codec/baseline_chain.h"
#include "harness/codec/campaign_json.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Counts {
  int campaigns = 0, pins = 0;  // the highest numbers
};

Counts counts_in(const std::string& dir) {
  Counts counts;
  std::error_code error;
  if (!fs::exists(dir, error)) return counts;
  if (!fs::is_directory(dir, error)) {
    throw RunError(fmt::format("{} is no folder, so it is no store of baselines", dir));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".") || is_temporary(name) || name == "head.json") continue;
    if (const auto number = kCampaignFile.number_of(name)) {
      counts.campaigns = std::max(counts.campaigns, *number);
    } else if (const auto pin = kPinFile.number_of(name)) {
      counts.pins = std::max(counts.pins, *pin);
    } else {
      throw RunError(fmt::format(
          "{} holds {}, which is no file of a store of baselines; move it elsewhere", dir, name));
    }
  }
  if (error) throw RunError(fmt::format("cannot read {}: {}", dir, error.message()));
  // A pin that came while the folder was listed may name campaigns that came just before it.
  while (fs::exists(kCampaignFile.path(dir, counts.campaigns + 1))) ++counts.campaigns;
  return counts;
}

// A store and what a next file must name.
struct Reading {
  BaselineStore store;
  Chain campaigns, pins;

  StoreHead head() const { return {campaigns.end(), pins.end()}; }
};

StoredPin pin_of_json(const Json& json, const std::vector<std::string>& campaigns) {
  StoredPin pin;
  pin.created_utc = json.at("created_utc").get<std::string>();
  for (const Json& one : json.at("campaigns")) {
    const int number = whole_number_of(one.at("number"));
    if (number < 1 || static_cast<std::size_t>(number) > campaigns.size()) {
      throw UsageError(fmt::format("campaign {}, which it pins, is missing", number));
    }
    if (one.at("crc32") != Json(campaigns[static_cast<std::size_t>(number) - 1])) {
      throw UsageError(
          fmt::format("it pins another campaign {} than the one that is there", number));
    }
    pin.campaigns.push_back(number);
  }
  return pin;
}

Reading read_all(const std::string& dir) {
  Reading reading;
  const std::optional<StoreHead> head = read_head(dir);  // first: what it counts is there already
  const Counts counts = counts_in(dir);
  reading.campaigns = read_chain(dir, kCampaignFile, counts.campaigns, [&](const Json& json) {
    reading.store.campaigns.push_back(campaign_of_json(json));
    reading.store.campaigns.back().name =
        fmt::format("campaign {}", reading.store.campaigns.size());
  });
  reading.pins = read_chain(dir, kPinFile, counts.pins, [&](const Json& json) {
    reading.store.pins.push_back(pin_of_json(json, reading.campaigns.crcs));
  });
  if (head) {
    require_counted(dir, kCampaignFile, head->campaigns, reading.campaigns);
    require_counted(dir, kPinFile, head->pins, reading.pins);
  } else if (reading.campaigns.headed || reading.pins.headed) {
    throw RunError(fmt::format("{} is missing, which counts the files of the store; put it back",
                               head_file(dir)));
  }
  return reading;
}

// After a file was added. Whoever writes the head last looks after that whether it counts all files
// that are there: so, of any number of jobs at once, the last one leaves it right.
void renew_head(const std::string& dir) {
  while (true) {
    const Reading reading = read_all(dir);
    const std::optional<StoreHead> head = read_head(dir);
    const bool counts_all = head && head->campaigns.count >= std::ssize(reading.campaigns.crcs) &&
                            head->pins.count >= std::ssize(reading.pins.crcs);
    if (counts_all) return;
    write_head(dir, reading.head());
  }
}

void make_folder(const std::string& dir) {
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) throw RunError(fmt::format("cannot make {}: {}", dir, error.message()));
}

void refuse_known_runs(const std::string& dir, const BaselineStore& store,
                       const CampaignRecord& campaign) {
  const std::set<std::string> runs(campaign.runs.begin(), campaign.runs.end());
  for (const CampaignRecord& stored : store.campaigns) {
    for (const std::string& run : stored.runs) {
      if (!runs.contains(run)) continue;
      throw UsageError(fmt::format("{} holds launch {} already, in {}: a campaign counts once", dir,
                                   run, stored.name));
    }
  }
}

}  // namespace

BaselineStore read_store(const std::string& dir) {
  return read_all(dir).store;
}

int add_campaign(const std::string& dir, const CampaignRecord& campaign) {
  make_folder(dir);
  while (true) {  // until no other has added one meanwhile
    const Reading reading = read_all(dir);
    refuse_known_runs(dir, reading.store, campaign);
    make_head(dir, reading.head());
    const int number = static_cast<int>(reading.campaigns.crcs.size()) + 1;
    Json json = opening_of(kCampaignFile, reading.campaigns);
    json.update(campaign_json(campaign));
    if (!write_new_file_atomically(kCampaignFile.path(dir, number), sealed(json).text)) continue;
    renew_head(dir);
    return number;
  }
}

int pin_campaigns(const std::string& dir, std::vector<int> campaigns,
                  const std::string& created_utc) {
  std::sort(campaigns.begin(), campaigns.end());
  while (true) {
    const Reading reading = read_all(dir);
    const auto stored = static_cast<int>(reading.campaigns.crcs.size());
    if (std::adjacent_find(campaigns.begin(), campaigns.end()) != campaigns.end()) {
      throw UsageError("a campaign is named twice; name each once");
    }
    for (const int number : campaigns) {
      if (number >= 1 && number <= stored) continue;
      throw UsageError(fmt::format("{} has no campaign {}; it holds {}", dir, number, stored));
    }
    if (campaigns.size() < kFewestCampaigns) {
      throw UsageError(fmt::format("{} campaign{} make no baseline; pin {} or more",
                                   campaigns.size(), campaigns.size() == 1 ? "" : "s",
                                   kFewestCampaigns));
    }
    const int number = static_cast<int>(reading.store.pins.size()) + 1;
    make_head(dir, reading.head());
    Json json = opening_of(kPinFile, reading.pins);
    json["created_utc"] = created_utc;
    json["campaigns"] = Json::array();
    for (const int one : campaigns) {
      json["campaigns"].push_back(
          {{"number", one}, {"crc32", reading.campaigns.crcs[static_cast<std::size_t>(one) - 1]}});
    }
    if (!write_new_file_atomically(kPinFile.path(dir, number), sealed(json).text)) continue;
    renew_head(dir);
    return number;
  }
}

PinnedBaseline pinned_of(const BaselineStore& store) {
  PinnedBaseline baseline;
  baseline.stored = static_cast<int>(store.campaigns.size());
  baseline.pin = static_cast<int>(store.pins.size());
  if (store.pins.empty()) return baseline;
  for (const int number : store.pins.back().campaigns) {
    baseline.campaigns.push_back(store.campaigns[static_cast<std::size_t>(number) - 1]);
  }
  return baseline;
}

}  // namespace traceml
