#include "harness/codec/traceml_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

constexpr double kOldestSchema = 1.7;
constexpr double kNextMajor = 2.0;

// Milliseconds per step on the clock that the window selected.
constexpr std::array<std::pair<const char*, const char*>, 7> kPhases = {{
    {"input_wait_ms", "input_wait"},
    {"h2d_ms", "h2d"},
    {"forward_ms", "forward"},
    {"backward_ms", "backward"},
    {"optimizer_ms", "optimizer"},
    {"compute_ms", "compute"},
    {"residual_ms", "residual"},
}};

std::vector<JsonPlace> rows_of(const JsonPlace& rows) {
  std::vector<JsonPlace> list;
  for (const auto& [key, ignored] : rows.json().items()) list.push_back(rows.object(key));
  return list;
}

// docs/files.md: what the launcher expected, else the larger of what was observed. 0: not said.
std::int64_t expected_ranks(const JsonPlace& top, const std::vector<JsonPlace>& rows) {
  if (const auto context = top.optional_object("run_context")) {
    if (const auto execution = context->optional_object("execution")) {
      if (const auto expected = execution->count("expected_world_size")) return *expected;
    }
  }
  std::int64_t expected = 0;
  if (const auto meta = top.optional_object("meta")) {
    expected = meta->count("world_size").value_or(0);
  }
  for (const JsonPlace& row : rows) {
    if (const auto identity = row.optional_object("identity")) {
      expected = std::max(expected, identity->count("world_size").value_or(0));
    }
  }
  return expected;
}

// Rows of the same rank count once.
std::int64_t ranks_in_rows(const std::vector<JsonPlace>& rows) {
  std::set<std::int64_t> ranks;
  std::int64_t unnamed = 0;
  for (const JsonPlace& row : rows) {
    const auto identity = row.optional_object("identity");
    const auto rank = identity ? identity->count("global_rank") : std::nullopt;
    if (rank) {
      ranks.insert(*rank);
    } else {
      ++unnamed;
    }
  }
  return static_cast<std::int64_t>(ranks.size()) + unnamed;
}

struct OverRows {
  std::optional<double> largest, mean;
};

// Null unless every row has it; NaN where one of them is no time.
OverRows over_rows(const std::vector<JsonPlace>& metrics, const char* key) {
  double largest = 0, sum = 0;
  for (const JsonPlace& row : metrics) {
    const std::optional<double> time = row.time(key);
    if (!time) return {};
    largest = std::isnan(*time) || std::isnan(largest) ? NAN : std::max(largest, *time);
    sum += *time;
  }
  if (metrics.empty()) return {};
  return {largest, sum / static_cast<double>(metrics.size())};
}

// A measured zero is a phase's time.
std::optional<double> mean_phase(const std::vector<JsonPlace>& metrics, const char* key) {
  double sum = 0;
  for (const JsonPlace& row : metrics) {
    const std::optional<double> value = row.number(key);
    if (!value || *value < 0) return std::nullopt;
    sum += *value;
  }
  if (metrics.empty()) return std::nullopt;
  return sum / static_cast<double>(metrics.size());
}

void read_schema(const JsonPlace& top, StoredRun& run) {
  const std::optional<double> version = top.number("schema_version");
  if (!version) {
    top.fail("schema_version", "is no number; files of TraceML from schema 1.7 on are read");
  }
  if (*version < kOldestSchema) {
    top.fail("schema_version",
             fmt::format("is {}; files of TraceML from schema 1.7 on are read", *version));
  }
  if (*version >= kNextMajor) {
    run.warnings.push_back(
        fmt::format("has schema {}, newer than this version knows; it was read as 1.9.", *version));
  }
  run.form = fmt::format("TraceML, schema {}", *version);
}

void read_ranks(const JsonPlace& top, const std::vector<JsonPlace>& rows, StoredRun& run) {
  const std::int64_t expected = expected_ranks(top, rows);
  const std::int64_t present = ranks_in_rows(rows);
  run.world_size = static_cast<int>(std::min<std::int64_t>(expected, 1 << 30));
  if (present < expected || present == 0) {
    run.findings.push_back(
        {Reason::kMissingRank, fmt::format("step times of {} of {} ranks", present, expected)});
  } else if (expected == 0) {
    run.findings.push_back({Reason::kMissingRank, "it does not say how many ranks there were"});
  } else if (static_cast<std::int64_t>(rows.size()) != expected) {
    run.findings.push_back(
        {Reason::kNoCommonClock, fmt::format("{} rows for {} ranks", rows.size(), expected)});
  } else {
    return;
  }
  run.step.step_cpu.reset();
  run.step.step_gpu.reset();
}

void read_window(const JsonPlace& step_time, StoredRun& run) {
  if (const auto global = step_time.optional_object("global")) {
    if (const auto window = global->optional_object("window")) {
      const auto steps = window->count("steps_analyzed");
      const auto start = window->count("start_step"), end = window->count("end_step");
      if (steps && start && end && *end >= *start) {
        run.gap_steps = std::max<std::int64_t>(*end - *start + 1 - *steps, 0);
      }
      const auto metadata = step_time.optional_object("metadata");
      const auto total = metadata ? metadata->count("training_total_steps") : std::nullopt;
      if (steps && total) run.truncated_steps = std::max<std::int64_t>(*total - *steps, 0);
      const std::string clock = window->text("diagnosis_clock");
      if (clock == "cpu") run.step.selected = Clock::kCpu;
      if (clock == "gpu") run.step.selected = Clock::kGpu;
    }
  }
  if (run.gap_steps.value_or(0) > 0) {
    run.warnings.push_back(fmt::format("lacks {} steps inside its window.", *run.gap_steps));
  }
  if (run.truncated_steps.value_or(0) > 0) {
    run.warnings.push_back(
        fmt::format("leaves out {} steps of the training.", *run.truncated_steps));
  }
}

// A newer schema may have moved the figures elsewhere.
void check_keys(const JsonPlace& top, const std::vector<JsonPlace>& metrics) {
  if (top.number("schema_version").value_or(0) < kNextMajor) return;
  for (const JsonPlace& row : metrics) {
    for (const char* key : {"step_time_cpu_ms", "step_time_gpu_ms"}) {
      if (!row.json().contains(key)) row.fail(key, "is missing; this schema is too new to read");
    }
  }
}

// A text as it is, so that "32" and 32 differ as they do in the file.
void declare(const nlohmann::json& json, const std::string& path, StoredRun& run) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) declare(value, path + "." + key, run);
    return;
  }
  using Handler = nlohmann::json::error_handler_t;
  run.declared.emplace_back(path, without_folders(json.dump(-1, ' ', false, Handler::replace)));
}

void read_context(const JsonPlace& top, StoredRun& run) {
  const auto context = top.optional_object("run_context");
  if (!context) return;
  if (const auto run_part = context->optional_object("run")) {
    const std::string status = run_part->text("status");
    if (!status.empty() && status != "completed") {
      run.void_reason = "its run's status is " + status;
    }
  }
  if (const auto declaration = context->optional_object("declaration")) {
    if (const auto workload = declaration->optional_object("workload")) {
      declare(workload->json(), "workload", run);
    }
  }
}

}  // namespace

StoredRun read_traceml_summary(const JsonPlace& top, const std::string& path) {
  StoredRun run;
  run.label = path;
  run.created_utc = top.text("generated_at");
  read_schema(top, run);
  for (const char* section : {"system", "process", "step_memory"}) {
    if (top.json().contains(section)) top.object(section);
  }
  const JsonPlace step_time = top.object("step_time");
  const std::vector<JsonPlace> rows = rows_of(step_time.object("groups").object("rows"));
  std::vector<JsonPlace> metrics;
  for (const JsonPlace& row : rows) metrics.push_back(row.object("metrics"));
  check_keys(top, metrics);

  const OverRows cpu = over_rows(metrics, "step_time_cpu_ms");
  const OverRows gpu = over_rows(metrics, "step_time_gpu_ms");
  run.step.step_cpu = cpu.largest;
  run.step.step_gpu = gpu.largest;
  run.mean_over_ranks = {std::nullopt, cpu.mean, gpu.mean};
  read_ranks(top, rows, run);
  read_window(step_time, run);
  for (const auto& [key, phase] : kPhases) {
    if (const auto mean = mean_phase(metrics, key)) run.phases[phase] = *mean;
  }
  read_context(top, run);
  // Ours are written from timed steps alone.
  run.holds_warmup = !top.optional_object("traceml_bench").has_value();
  return run;
}

}  // namespace traceml
