#include "harness/codec/campaign_json.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/codec/atomic_file.h"
#include "harness/codec/crc32.h"
#include "harness/codec/json_input.h"
#include "harness/codec/json_text.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;
using Fields = std::map<std::string, std::string>;

constexpr const char* kChecksum = "crc32";

std::string checksum_of(const Json& content) {
  return fmt::format("{:08x}", crc32(json_text(content)));
}

Json arm_json(const StoredArm& arm) {
  Json launches = Json::array();
  for (const StoredLaunch& launch : arm.launches) {
    launches.push_back(
        {{"wall_ms", json_number(launch.wall)}, {"log_ratio", json_number(launch.log_ratio)}});
  }
  return {{"reference", arm.reference}, {"settings", arm.settings}, {"launches", launches}};
}

StoredArm arm_of_json(const std::string& name, const Json& json) {
  StoredArm arm;
  arm.reference = json.at("reference").get<std::string>();
  arm.settings = json.at("settings").get<Fields>();
  for (const Json& one : json.at("launches")) {
    StoredLaunch launch;
    launch.wall = Millis{one.at("wall_ms").get<double>()};
    if (!one.at("log_ratio").is_null()) launch.log_ratio = one.at("log_ratio").get<double>();
    const bool sound = std::isfinite(launch.wall.count()) && launch.wall.count() > 0 &&
                       std::isfinite(launch.log_ratio.value_or(0));
    if (!sound) throw UsageError(fmt::format("a launch of {} has no time", name));
    arm.launches.push_back(launch);
  }
  return arm;
}

}  // namespace

Json campaign_json(const CampaignRecord& campaign) {
  Json arms = Json::object();
  for (const auto& [name, arm] : campaign.arms) arms[name] = arm_json(arm);
  return {{"created_utc", campaign.created_utc}, {"runs", campaign.runs},
          {"machine", campaign.machine},         {"software", campaign.software},
          {"recorded", campaign.recorded},       {"arms", std::move(arms)}};
}

CampaignRecord campaign_of_json(const Json& json) {
  CampaignRecord campaign;
  campaign.created_utc = json.at("created_utc").get<std::string>();
  campaign.runs = json.at("runs").get<std::vector<std::string>>();
  campaign.machine = json.at("machine").get<Fields>();
  campaign.software = json.at("software").get<Fields>();
  campaign.recorded = json.at("recorded").get<Fields>();
  for (const auto& [name, arm] : json.at("arms").items()) {
    campaign.arms[name] = arm_of_json(name, arm);
  }
  return campaign;
}

int whole_number_of(const Json& json) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const bool held = json.is_number_integer() && json.get<std::int64_t>() >= 0 &&
                    json.get<std::int64_t>() <= kMost;
  if (!held) throw UsageError("a number in it is none of ours");
  return json.get<int>();
}

SealedText sealed(const Json& json) {
  // Through text and back, so that what is not UTF-8 is replaced before the checksum is taken.
  Json content = Json::parse(json_text(json));
  const std::string checksum = checksum_of(content);
  content[kChecksum] = checksum;
  return {json_text(content), checksum};
}

SealedJson read_sealed(const std::string& path, const std::string& schema) {
  const std::string text = read_whole_file(path);
  if (json_too_deep_at(text)) throw RunError(path + " is nested too deeply to be ours");
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception&) {
    throw RunError(path + " is torn or no JSON; put the whole file back");
  }
  if (!json.is_object() || json.value("schema", Json()) != Json(schema)) {
    throw RunError(fmt::format("{} does not say that its schema is {}", path, schema));
  }
  const Json written = json.value(kChecksum, Json());
  json.erase(kChecksum);
  std::string checksum = checksum_of(json);
  if (written != Json(checksum)) {
    throw RunError(path + " was edited: it does not match its checksum; put the old file back");
  }
  return {std::move(json), std::move(checksum)};
}

}  // namespace traceml
