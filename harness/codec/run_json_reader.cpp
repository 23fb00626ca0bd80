#include "harness/codec/run_json_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace traceml {
namespace {

bool is_true(const JsonPlace& place, const char* key) {
  const auto found = place.json().find(key);
  return found != place.json().end() && found->is_boolean() && found->get<bool>();
}

std::vector<std::string> visible_arms(const JsonPlace& arms) {
  std::vector<std::string> names;
  for (const auto& [name, ignored] : arms.json().items()) {
    if (!is_true(arms.object(name), "hidden")) names.push_back(name);
  }
  return names;
}

std::string chosen_arm(const JsonPlace& top, const JsonPlace& arms, const std::string& wanted) {
  const std::vector<std::string> names = visible_arms(arms);
  if (wanted.empty()) {
    if (names.size() == 1) return names.front();
    top.fail("arms",
             fmt::format("holds {}; choose one with --arm NAME",
                         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  if (!arms.json().contains(wanted)) {
    top.fail("arms", fmt::format("has no '{}'; it holds {}", wanted, fmt::join(names, ", ")));
  }
  return wanted;
}

void read_schema(const JsonPlace& top, StoredRun& run, const std::string& arm) {
  const std::string version = top.text("schema_version");
  if (!version.starts_with("1.")) {
    top.fail("schema_version",
             fmt::format("is {}; this version reads \"1.0\"",
                         top.json()
                             .value("schema_version", nlohmann::json())
                             .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  }
  run.form = fmt::format("traceml-bench {}, arm {}", top.object("tool").text("version"), arm);
}

// Max and mean over ranks; null unless every rank has it, NaN where one of them is no time.
struct OverRanks {
  std::optional<double> largest, mean;
};

OverRanks over_ranks(const std::vector<JsonPlace>& ranks, const char* key) {
  double largest = 0, sum = 0;
  for (const JsonPlace& rank : ranks) {
    const std::optional<double> time = rank.time(key);
    if (!time) return {};
    largest = std::isnan(*time) || std::isnan(largest) ? NAN : std::max(largest, *time);
    sum += *time;
  }
  if (ranks.empty()) return {};
  return {largest, sum / static_cast<double>(ranks.size())};
}

// This arm of every rank that has it.
std::vector<JsonPlace> ranks_of(const JsonPlace& top, const std::string& file,
                                const std::string& arm) {
  const auto list = top.json().find("ranks");
  if (list == top.json().end() || !list->is_array()) top.fail("ranks", "is no list");
  std::vector<JsonPlace> ranks;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string path = fmt::format("ranks[{}]", i);
    if (!(*list)[i].is_object()) top.fail(path, "is no object");
    const JsonPlace rank((*list)[i], file, path);
    const JsonPlace arms = rank.object("arms");
    if (arms.json().contains(arm)) ranks.push_back(arms.object(arm));
  }
  return ranks;
}

void read_steps(const JsonPlace& arm, const std::vector<JsonPlace>& ranks, StoredRun& run) {
  const bool whole = static_cast<int>(ranks.size()) == run.world_size;
  if (!whole || run.world_size == 0) {
    run.findings.push_back({Reason::kMissingRank, fmt::format("figures of {} of {} ranks",
                                                              ranks.size(), run.world_size)});
    return;
  }
  const OverRanks cpu = over_ranks(ranks, "step_cpu_ms");
  const OverRanks gpu = over_ranks(ranks, "step_gpu_ms");
  run.step.step_cpu = cpu.largest;
  run.mean_over_ranks.step_cpu = cpu.mean;
  // Null where the device clock does not cover every step of every rank (docs/clocks.md).
  if (arm.time("step_gpu_ms")) {
    run.step.step_gpu = gpu.largest;
    run.mean_over_ranks.step_gpu = gpu.mean;
  }
}

void read_distortions(const JsonPlace& top, StoredRun& run) {
  const auto distortions = top.json().find("distortions");
  if (distortions != top.json().end() && distortions->is_array() && !distortions->empty()) {
    const auto& first = distortions->front();
    run.findings.push_back({Reason::kDistortingEnvironment,
                            first.is_string() ? first.get<std::string>() : "the environment"});
  }
}

// A loss that is no number is null in the file; the gates of the arm tell why.
void read_losses(const JsonPlace& top, const std::string& arm, StoredRun& run) {
  const auto gates = top.json().find("gates");
  if (gates == top.json().end() || !gates->is_array()) return;
  for (const auto& gate : *gates) {
    if (!gate.is_object() || gate.value("candidate", nlohmann::json()) != arm) continue;
    const nlohmann::json reasons = gate.value("all_reasons", nlohmann::json::array());
    if (std::find(reasons.begin(), reasons.end(), name_of(Reason::kNonfiniteLoss)) ==
        reasons.end()) {
      continue;
    }
    run.findings.push_back({Reason::kNonfiniteLoss, "a loss of its arm is no finite number"});
    return;
  }
}

void read_phases(const JsonPlace& arm, StoredRun& run) {
  const std::string clock = arm.text("clock");
  if (clock != "cpu" && clock != "gpu") return;
  run.step.selected = clock == "gpu" ? Clock::kGpu : Clock::kCpu;
  const std::string key = clock + "_ms";
  if (const auto phases = arm.optional_object("phases")) {
    for (const auto& [phase, ignored] : phases->json().items()) {
      const auto value = phases->object(phase).number(key);
      if (value && *value >= 0) run.phases[phase] = *value;
    }
  }
  for (const char* name : {"compute", "residual"}) {
    const auto value = arm.number(std::string(name) + "_ms");
    if (value && *value >= 0) run.phases[name] = *value;
  }
}

void read_settings(const JsonPlace& top, const std::string& arm, StoredRun& run) {
  const auto config = top.optional_object("config");
  const auto arms = config ? config->optional_object("arms") : std::nullopt;
  const auto settings = arms ? arms->optional_object(arm) : std::nullopt;
  if (!settings) return;
  for (const auto& [key, ignored] : settings->json().items()) {
    run.settings.emplace_back(key, settings->text(key));
  }
}

}  // namespace

StoredRun read_run_json(const JsonPlace& top, const std::string& path, const std::string& wanted) {
  StoredRun run;
  const JsonPlace arms = top.object("arms");
  const std::string name = chosen_arm(top, arms, wanted);
  read_schema(top, run, name);
  run.label = path;
  run.created_utc = top.text("created_utc");
  run.device = top.text("device");
  run.world_size =
      static_cast<int>(std::min<std::int64_t>(top.count("world_size").value_or(0), 1 << 30));
  const JsonPlace arm = arms.object(name);
  run.wall_ms = arm.time("step_wall_ms");
  run.global_batch = arm.count("global_batch").value_or(0);
  read_steps(arm, ranks_of(top, path, name), run);
  read_distortions(top, run);
  read_losses(top, name, run);
  read_phases(arm, run);
  read_settings(top, name, run);
  const JsonPlace verdict = top.object("verdict");
  if (!is_true(verdict, "finished")) run.void_reason = "its run ended before its plan";
  return run;
}

}  // namespace traceml
