// A store of baselines, as `baseline` and a night's gate read and judge it: its files' texts in one
// input, with lines "%%%% FILE" between them. They are read as they are, and once more with their
// chain and checksums mended, so that their content is reached.

#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/analysis/stored_baseline.h"
#include "harness/codec/baseline_snapshot.h"
#include "harness/codec/baseline_store.h"
#include "harness/codec/campaign_json.h"
#include "harness/codec/json_input.h"
#include "harness/core/error.h"
#include "harness/reports/baseline_text.h"
#include "tests/codec/temporary_folder.h"
#include "tests/fuzz/fuzz_target.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFiles[] = {"campaign_0001.json", "campaign_0002.json", "campaign_0003.json",
                                  "campaign_0004.json", "campaign_0005.json", "pin_0001.json",
                                  "pin_0002.json",      "head.json"};
constexpr std::string_view kMark = "%%%% ";

std::map<std::string, std::string> files_in(std::string_view input) {
  std::map<std::string, std::string> files;
  while (!input.empty()) {
    const std::size_t line_end = std::min(input.find('\n'), input.size() - 1);
    const std::string_view line = input.substr(0, line_end);
    const std::size_t next = std::min(input.find(kMark, line_end), input.size());
    for (const char* name : kFiles) {
      if (line != std::string(kMark) + name) continue;
      files[name] = input.substr(line_end + 1, next - line_end - 1);
    }
    input.remove_prefix(std::max(next, line_end + 1));
  }
  return files;
}

// What follows what, and every checksum, as if the store had written the files.
void mend(std::map<std::string, std::string>* files) {
  std::map<std::string, std::string> last;  // by kind of file
  std::map<int, std::string> campaigns;
  for (auto& [name, text] : *files) {
    if (json_too_deep_at(text)) continue;
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) continue;
    json.erase("crc32");
    const std::string kind = name.substr(0, name.find('_'));
    if (name == "head.json") {
      for (const char* chain : {"campaigns", "pins"}) {
        const std::string of = chain[0] == 'c' ? "campaign" : "pin";
        if (json.contains(chain) && json[chain].is_object() && last.count(of) != 0) {
          json[chain]["crc32"] = last[of];
        }
      }
    } else {
      json["follows"] = last.count(kind) != 0 ? last[kind] : "00000000";
    }
    if (kind == "pin" && json.contains("campaigns") && json["campaigns"].is_array()) {
      for (Json& one : json["campaigns"]) {
        if (!one.is_object() || !one.contains("number") || !one["number"].is_number_integer()) {
          continue;
        }
        const auto found = campaigns.find(static_cast<int>(one["number"].get<std::int64_t>()));
        if (found != campaigns.end()) one["crc32"] = found->second;
      }
    }
    const SealedText mended = sealed(json);
    text = mended.text;
    last[kind] = mended.crc32;
    if (kind == "campaign") campaigns[static_cast<int>(campaigns.size()) + 1] = mended.crc32;
  }
}

CampaignFacts facts_of(const std::string& arm, const std::string& reference) {
  CampaignFacts facts;
  facts.pooled = true;
  facts.launches = 6;
  facts.arms.resize(2);
  facts.arms[0].name = arm;
  facts.arms[1].name = reference;
  GateSpec gate;
  gate.name = arm + " against store";
  gate.candidate = {0};
  gate.baseline = {reference.empty() ? 0 : 1};
  gate.stored = StoredSpec{"store", .08, {"commit"}};
  facts.stored_gates = {gate};
  return facts;
}

void judge_each_arm(const CampaignRecord& candidate, const PinnedBaseline& baseline) {
  for (const auto& [name, arm] : candidate.arms) {
    const CampaignFacts facts = facts_of(name, arm.reference);
    const GateSpec& gate = facts.stored_gates.front();
    const GateResult result = judge_against_stored(facts, gate, {candidate}, baseline, {});
    const bool passed_on_nothing = result.outcome == Outcome::kPass && !result.interval;
    if (passed_on_nothing || (result.theta && std::isnan(*result.theta))) __builtin_trap();
    stored_power_line(facts, gate, baseline);
  }
}

void read_and_judge(const std::map<std::string, std::string>& files,
                    const testing::TemporaryFolder& folder) {
  for (const char* name : kFiles) std::filesystem::remove(folder.path("store/") + name);
  for (const auto& [name, text] : files) folder.write("store/" + name, text);
  const BaselineStore store = read_store(folder.path("store"));
  const PinnedBaseline pinned = pinned_of(store);
  for (const int columns : {40, 100}) {
    render_baseline_list("store", store.campaigns, {}, pinned, columns);
    render_baseline("store", pinned, columns);
  }
  for (const CampaignRecord& candidate : store.campaigns) judge_each_arm(candidate, pinned);
  const std::string snapshot = folder.path("baselines.json");
  write_baselines(snapshot, {{"store", pinned}});
  if (read_baselines(snapshot).at("store").campaigns.size() != pinned.campaigns.size()) {
    __builtin_trap();  // a report would be held against another baseline
  }
}

}  // namespace
}  // namespace traceml

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const traceml::testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("store"));
  auto files = traceml::files_in({reinterpret_cast<const char*>(data), size});
  for (const bool mended : {false, true}) {
    if (mended) traceml::mend(&files);
    try {
      traceml::read_and_judge(files, folder);
    } catch (const traceml::Error&) {
    }
  }
  return 0;
}
