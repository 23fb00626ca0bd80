#include "harness/codec/past_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/codec/atomic_file.h"
#include "harness/codec/crc32.h"
#include "harness/codec/json_input.h"
#include "harness/core/error.h"
#include "harness/plan/semantic_keys.h"

namespace traceml {
namespace {

using Fields = std::map<std::string, std::string>;

Fields texts_in(const JsonPlace& object) {
  Fields fields;
  for (const auto& [name, value] : object.json().items()) {
    if (value.is_string()) fields[name] = value.get<std::string>();
  }
  return fields;
}

// What each arm does, as semantic keys; a key that is younger than the file had its default.
Fields settings_of(const JsonPlace& config) {
  Fields common;
  if (const auto keys = config.optional_object("keys")) common = texts_in(*keys);
  const JsonPlace arms = config.object("arms");
  Fields settings;
  for (const auto& [arm, ignored] : arms.json().items()) {
    Fields own = texts_in(arms.object(arm));
    auto planted = own.extract("plant");  // a run with faults is no night like the others
    own.insert(common.begin(), common.end());
    std::erase_if(own, [](const auto& field) { return !is_semantic_key(field.first); });
    add_younger_keys(&own);
    if (!planted.empty()) own.insert(std::move(planted));
    for (const auto& [key, value] : own) settings[arm + ": " + key] = value;
  }
  return settings;
}

std::string hash_of(const Fields& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += key + "=" + value + "\n";
  return fmt::format("{:08x}", crc32(text));
}

std::optional<Outcome> outcome_named(const std::string& name) {
  for (const Outcome one : {Outcome::kPass, Outcome::kFail, Outcome::kInconclusive}) {
    if (name_of(one) == name) return one;
  }
  return std::nullopt;
}

std::vector<std::string> reasons_of(const JsonPlace& gate) {
  std::vector<std::string> reasons;
  const auto found = gate.json().find("all_reasons");
  if (found == gate.json().end() || !found->is_array()) return reasons;
  for (const auto& reason : *found) {
    if (reason.is_string()) reasons.push_back(reason.get<std::string>());
  }
  return reasons;
}

PastGate gate_of(const JsonPlace& json) {
  PastGate gate;
  gate.name = json.text("name");
  if (gate.name.empty()) json.fail("name", "is missing");
  gate.fraction = json.text("unit") == "fraction";
  const auto outcome = outcome_named(json.text("outcome"));
  if (!outcome) json.fail("outcome", "is none of pass, fail and inconclusive");
  gate.outcome = *outcome;
  gate.reasons = reasons_of(json);
  gate.estimate = json.number("estimate");
  const auto lower = json.number("lower"), upper = json.number("upper");
  if (lower && upper) gate.interval = Interval{*lower, *upper};
  gate.margin = json.number("margin");
  if (const auto theta = json.optional_object("theta")) gate.theta = theta->number("estimate");
  return gate;
}

// A store's pin says what a gate's estimate is held against.
void add_pin(const JsonPlace& gate, Fields* fingerprint) {
  const auto stored = gate.optional_object("stored");
  if (!stored) return;
  if (const auto pin = stored->count("pin")) {
    (*fingerprint)["pin of " + stored->text("store")] = std::to_string(*pin);
  }
}

void read_gates(const JsonPlace& top, const std::string& file, PastReport* run) {
  const auto gates = top.json().find("gates");
  if (gates == top.json().end() || !gates->is_array()) top.fail("gates", "is no list");
  for (std::size_t i = 0; i < gates->size(); ++i) {
    const std::string path = fmt::format("gates[{}]", i);
    if (!(*gates)[i].is_object()) top.fail(path, "is no object");
    const JsonPlace gate((*gates)[i], file, path);
    run->gates.push_back(gate_of(gate));
    add_pin(gate, &run->fingerprint);
  }
}

void read_fingerprint(const JsonPlace& top, PastReport* run) {
  if (const auto facts = top.optional_object("environment")) run->fingerprint = texts_in(*facts);
  run->fingerprint.emplace("device", top.text("device"));
  run->fingerprint["exchange"] = top.text("exchange");
  if (const auto ranks = top.count("world_size")) {
    run->fingerprint["ranks"] = std::to_string(*ranks);
  }
}

PastReport past_report_of(const JsonPlace& top, const std::string& file) {
  if (top.object("tool").text("name") != "traceml-bench") {
    top.fail("tool.name", "is not traceml-bench");
  }
  if (!top.text("schema_version").starts_with("1.")) {
    top.fail("schema_version", "is none that this version reads (1.0)");
  }
  PastReport run;
  run.created_utc = top.text("created_utc");
  if (run.created_utc.empty()) top.fail("created_utc", "is missing");
  const JsonPlace config = top.object("config");
  run.config = config.text("name");
  run.settings = settings_of(config);
  run.config_hash = hash_of(run.settings);
  const JsonPlace verdict = top.object("verdict");
  run.exit_code =
      static_cast<int>(std::min<std::int64_t>(verdict.count("exit_code").value_or(0), 255));
  run.finished = verdict.json().value("finished", nlohmann::json()) == true;
  read_fingerprint(top, &run);
  read_gates(top, file, &run);
  return run;
}

}  // namespace

PastReport past_report_of_text(const std::string& text, const std::string& path) {
  const nlohmann::json json = parse_json_object(text, path);
  return past_report_of(JsonPlace(json, path), path);
}

PastReport read_past_report(const std::string& dir) {
  const std::string path = dir + "/run.json";
  std::string text;
  try {
    text = read_whole_file(path);
  } catch (const RunError& error) {
    throw UsageError(error.what());
  }
  PastReport run = past_report_of_text(text, path);
  run.folder = dir;
  return run;
}

}  // namespace traceml
