#include "harness/codec/baseline_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "harness/codec/atomic_file.h"
#include "harness/codec/campaign_json.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kNothing = "00000000";  // checksum before the first file

// One of the two kinds of file of a store.
struct Kind {
  const char* word;
  const char* schema;

  std::string file(const std::string& dir, int number) const {
    return fmt::format("{}/{}_{:04}.json", dir, word, number);
  }

  // nullopt: not of this kind.
  std::optional<int> number_of(const std::string& name) const {
    const std::string opening = fmt::format("{}_", word);
    if (!name.starts_with(opening) || !name.ends_with(".json")) return std::nullopt;
    const std::string digits = name.substr(opening.size(), name.size() - opening.size() - 5);
    if (digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != std::string::npos) {
      return std::nullopt;
    }
    const int number = std::stoi(digits);
    return number > 0 && file("", number) == "/" + name ? std::optional(number) : std::nullopt;
  }
};

constexpr Kind kCampaign = {"campaign", "traceml-bench/baseline_campaign/1"};
constexpr Kind kPin = {"pin", "traceml-bench/baseline_pin/1"};

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
    if (name.starts_with(".") || is_temporary(name)) continue;
    if (const auto number = kCampaign.number_of(name)) {
      counts.campaigns = std::max(counts.campaigns, *number);
    } else if (const auto pin = kPin.number_of(name)) {
      counts.pins = std::max(counts.pins, *pin);
    } else {
      throw RunError(fmt::format(
          "{} holds {}, which is no file of a store of baselines; move it elsewhere", dir, name));
    }
  }
  if (error) throw RunError(fmt::format("cannot read {}: {}", dir, error.message()));
  // A pin that came while the folder was listed may name campaigns that came just before it.
  while (fs::exists(kCampaign.file(dir, counts.campaigns + 1))) ++counts.campaigns;
  return counts;
}

// Reads files 1 to `count`, each of which must follow the one before. `take` gets content and
// checksum.
template <class Take>
void read_chain(const std::string& dir, const Kind& kind, int count, Take take) {
  std::string before = kNothing;
  for (int number = 1; number <= count; ++number) {
    const std::string file = kind.file(dir, number);
    if (!fs::exists(file)) {
      throw RunError(fmt::format("{} is missing, and {} is there; put it back", file,
                                 fs::path(kind.file(dir, count)).filename().string()));
    }
    SealedJson content = read_sealed(file, kind.schema);
    try {
      if (content.json.at("number") != Json(number) || content.json.at("follows") != Json(before)) {
        throw UsageError(number == 1
                             ? "it was not the first one of its store"
                             : "it does not follow " +
                                   fs::path(kind.file(dir, number - 1)).filename().string());
      }
      take(number, content.json, content.crc32);
    } catch (const Json::exception&) {
      throw RunError(fmt::format("{} lacks what a {} holds", file, kind.word));
    } catch (const UsageError& error) {
      throw RunError(
          fmt::format("{} is not of this store, or was changed: {}", file, error.what()));
    }
    before = content.crc32;
  }
}

// A store and what a next file must name.
struct Reading {
  BaselineStore store;
  std::vector<std::string> campaign_crcs;
  std::string last_pin = kNothing;
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
  const Counts counts = counts_in(dir);
  read_chain(dir, kCampaign, counts.campaigns, [&](int number, const Json& json, auto crc) {
    reading.store.campaigns.push_back(campaign_of_json(json));
    reading.store.campaigns.back().name = fmt::format("campaign {}", number);
    reading.campaign_crcs.push_back(crc);
  });
  read_chain(dir, kPin, counts.pins, [&](int, const Json& json, auto crc) {
    reading.store.pins.push_back(pin_of_json(json, reading.campaign_crcs));
    reading.last_pin = crc;
  });
  return reading;
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

Json opening_of(const Kind& kind, int number, const std::string& follows) {
  return {{"schema", kind.schema}, {"number", number}, {"follows", follows}};
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
    const int number = static_cast<int>(reading.campaign_crcs.size()) + 1;
    Json json =
        opening_of(kCampaign, number, number == 1 ? kNothing : reading.campaign_crcs.back());
    json.update(campaign_json(campaign));
    if (write_new_file_atomically(kCampaign.file(dir, number), sealed(json).text)) return number;
  }
}

int pin_campaigns(const std::string& dir, std::vector<int> campaigns,
                  const std::string& created_utc) {
  std::sort(campaigns.begin(), campaigns.end());
  while (true) {
    const Reading reading = read_all(dir);
    const auto stored = static_cast<int>(reading.campaign_crcs.size());
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
    Json json = opening_of(kPin, number, reading.last_pin);
    json["created_utc"] = created_utc;
    json["campaigns"] = Json::array();
    for (const int one : campaigns) {
      json["campaigns"].push_back(
          {{"number", one}, {"crc32", reading.campaign_crcs[static_cast<std::size_t>(one) - 1]}});
    }
    if (write_new_file_atomically(kPin.file(dir, number), sealed(json).text)) return number;
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
