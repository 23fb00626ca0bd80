#include "harness/codec/traceml_summary_write.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "harness/codec/gate_figures.h"
#include "harness/codec/hosts_file.h"
#include "harness/codec/json_text.h"
#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;
using Metrics = std::vector<std::pair<std::string, std::optional<double>>>;

constexpr double kSchemaVersion = 1.9;
constexpr double kLargeShare = 0.1;  // of the step: what calls it input-bound or copy-bound

std::optional<double> number(std::optional<Millis> value) {
  return value ? std::optional(value->count()) : std::nullopt;
}

std::optional<double> phase_of(const StepFigures& figures, Phase phase, Clock clock) {
  const auto found = figures.phases.find(phase);
  if (found == figures.phases.end()) return std::nullopt;
  return number(clock == Clock::kGpu ? found->second.gpu : found->second.cpu);
}

Metrics step_metrics(const StepFigures& figures, Clock clock) {
  const auto on = [&](Phase phase) { return phase_of(figures, phase, clock); };
  const bool gpu = clock == Clock::kGpu;
  return {{"input_wait_ms", on(Phase::kInputWait)},
          {"step_time_ms", number(gpu ? figures.step_gpu : figures.step_cpu)},
          {"traced_step_time_ms", on(Phase::kTraced)},
          {"step_time_cpu_ms", number(figures.step_cpu)},
          {"step_time_gpu_ms", number(figures.step_gpu)},
          {"traced_step_time_cpu_ms", phase_of(figures, Phase::kTraced, Clock::kCpu)},
          {"traced_step_time_gpu_ms", phase_of(figures, Phase::kTraced, Clock::kGpu)},
          {"dataloader_fetch_cpu_ms", phase_of(figures, Phase::kInputWait, Clock::kCpu)},
          {"h2d_ms", on(Phase::kH2d)},
          {"compute_ms", number(figures.compute)},
          {"residual_ms", number(figures.residual)},
          {"forward_ms", on(Phase::kForward)},
          {"backward_ms", on(Phase::kBackward)},
          {"optimizer_ms", on(Phase::kOptimizer)}};
}

Metrics null_metrics(const std::vector<std::string>& names) {
  Metrics metrics;
  for (const std::string& name : names) metrics.emplace_back(name, std::nullopt);
  return metrics;
}

Json metrics_json(const Metrics& metrics) {
  Json json = Json::object();
  for (const auto& [name, value] : metrics) json[name] = json_number(value);
  return json;
}

struct Row {
  int rank = 0;
  Metrics metrics;
};

// The lower median, or the largest, over the ranks; null unless every rank has the metric.
Json point_json(const std::vector<Row>& rows, std::size_t metric, bool largest) {
  std::vector<std::pair<double, int>> values;
  for (const Row& row : rows) {
    const auto& value = row.metrics[metric].second;
    if (value) values.emplace_back(*value, row.rank);
  }
  if (values.empty() || values.size() != rows.size()) {
    return {{"value", nullptr}, {"idx", nullptr}};
  }
  std::sort(values.begin(), values.end());
  const auto& [value, rank] = largest ? values.back() : values[(values.size() - 1) / 2];
  return {{"value", json_number(value)}, {"idx", std::to_string(rank)}};
}

Json points_json(const Metrics& names, const std::vector<Row>& rows, bool largest) {
  Json json = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    json[names[i].first] = point_json(rows, i, largest);
  }
  return json;
}

// Who a rank is on its node, by rank. Ranks whose node is not known stand on one.
std::vector<Json> identities_of(const RunInfo& info) {
  std::vector<int> nodes = info.nodes;
  nodes.resize(static_cast<std::size_t>(info.world_size));
  std::map<int, int> on_node;
  std::vector<Json> identities;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const int node = nodes[rank];
    identities.push_back({{"global_rank", rank},
                          {"local_rank", on_node[node]++},
                          {"node_rank", node},
                          {"hostname", node_alias(node)}});
  }
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    identities[rank]["local_world_size"] = on_node[nodes[rank]];
    identities[rank]["world_size"] = info.world_size;
  }
  return identities;
}

Json rows_json(const std::vector<Row>& rows, const RunInfo& info) {
  const std::vector<Json> identities = identities_of(info);
  Json json = Json::object();
  for (const Row& row : rows) {
    json[std::to_string(row.rank)] = {{"identity", identities[static_cast<std::size_t>(row.rank)]},
                                      {"metrics", metrics_json(row.metrics)}};
  }
  return json;
}

Json diagnosis_json(const std::string& status, const std::string& sentence) {
  std::string kind = status;
  std::replace_if(
      kind.begin(), kind.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return {{"kind", kind},        {"status", status},       {"severity", "info"},
          {"summary", sentence}, {"action", ""},           {"metric", nullptr},
          {"phase", nullptr},    {"score", nullptr},       {"share_pct", nullptr},
          {"skew_pct", nullptr}, {"ranks", Json::array()}, {"evidence", Json::object()}};
}

struct Section {
  std::string by;
  Metrics average;
  std::vector<Row> rows;
  Json window;
  Json units;
  Json diagnosis;
  std::int64_t samples = 0;
};

Json section_json(const Section& section, const RunInfo& info, Json training_steps) {
  Json names = Json::array();
  for (const auto& [name, ignored] : section.average) names.push_back(name);
  return {{"metadata",
           {{"mode", section.rows.empty() ? "no_data" : "single_node"},
            {"duration_s", nullptr},
            {"samples", section.samples},
            {"global_ranks_seen", info.world_size},
            {"global_ranks_used", section.rows.size()},
            {"training_total_steps", training_steps},
            {"training_latest_step", training_steps},
            {"section_metric_names", names}}},
          {"diagnosis", section.diagnosis},
          {"issues", Json::array({section.diagnosis})},
          {"global",
           {{"index_by", section.by},
            {"window", section.window},
            {"average", metrics_json(section.average)},
            {"median", points_json(section.average, section.rows, false)},
            {"worst", points_json(section.average, section.rows, true)}}},
          {"groups", {{"by", section.by}, {"rows", rows_json(section.rows, info)}}},
          {"units", section.units},
          {"card", section.diagnosis["summary"]}};
}

Json step_window(std::int64_t steps, const std::optional<Clock>& clock) {
  const Json last = steps > 0 ? Json(steps) : Json(nullptr);
  return {{"kind", "step_window"},
          {"alignment", "common_steps"},
          {"samples", nullptr},
          {"steps_analyzed", steps},
          {"start_step", steps > 0 ? Json(1) : Json(nullptr)},
          {"end_step", last},
          {"completed_step", last},
          {"diagnosis_clock", clock ? Json(name_of(*clock)) : Json(nullptr)}};
}

Section empty_section(const std::string& by, const std::vector<std::string>& names,
                      const char* status) {
  return {by,
          null_metrics(names),
          {},
          {{"kind", "sample_window"},
           {"alignment", "none"},
           {"samples", 0},
           {"steps_analyzed", nullptr},
           {"start_step", nullptr},
           {"end_step", nullptr},
           {"completed_step", nullptr}},
          Json::object(),
          diagnosis_json(status, "traceml-bench does not sample this."),
          0};
}

std::string status_of(const ArmSummary* arm, const CampaignSummary& summary) {
  if (arm == nullptr || !arm->clock) return "NO DATA";
  const auto step = arm->clock == Clock::kGpu ? arm->global.step_gpu : arm->global.step_cpu;
  if (!step || step->count() <= 0) return "INCOMPLETE DATA";
  for (const Straggler& straggler : summary.stragglers) {
    if (straggler.recurring && straggler.arm == arm->name) return "STRAGGLER";
  }
  const auto share = [&](Phase phase) {
    return phase_of(arm->global, phase, *arm->clock).value_or(0) / step->count();
  };
  if (share(Phase::kInputWait) > kLargeShare) return "INPUT-BOUND";
  if (share(Phase::kH2d) > kLargeShare) return "H2D-BOUND";
  return "COMPUTE-BOUND";
}

const ArmSummary* chosen_arm(const CampaignFacts& facts, const CampaignSummary& summary) {
  for (const ArmSummary& arm : summary.arms) {
    const bool reference = facts.arms.at(static_cast<std::size_t>(arm.arm.value)).input_free;
    if (!arm.hidden && arm.instrumented && !reference) return &arm;
  }
  return nullptr;
}

Section step_time_section(const ArmSummary* arm, const CampaignSummary& summary,
                          std::int64_t steps) {
  const Clock clock = arm != nullptr ? arm->clock.value_or(Clock::kCpu) : Clock::kCpu;
  Section section;
  section.by = "global_rank";
  section.average = step_metrics(arm != nullptr ? arm->global : StepFigures{}, clock);
  if (arm != nullptr) {
    for (const RankFigures& rank : arm->ranks) {
      section.rows.push_back({rank.rank.value, step_metrics(rank.figures, clock)});
    }
  }
  section.window = step_window(steps, arm != nullptr ? arm->clock : std::nullopt);
  section.units = {{"time", "ms"}};
  section.samples = steps * static_cast<std::int64_t>(section.rows.size());
  section.diagnosis = diagnosis_json(status_of(arm, summary), "See traceml_bench and run.json.");
  return section;
}

// Their tool prints it on a terminal.
std::string without_controls(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

Json setting_json(const ArmFacts& arm, const std::string& key) {
  for (const auto& [name, value] : arm.settings) {
    if (name == key && !value.empty()) return without_folders(value).substr(0, 128);
  }
  return "unnamed";
}

Json context_json(const RunInfo& info, const Plan& plan, const ArmSummary* arm) {
  const bool whole = !ended_early(info);
  const char* status = whole ? "completed" : "failed";
  Json context = {
      {"run", {{"status", status}, {"profile", "run"}}},
      {"execution",
       {{"expected_nodes", 1},
        {"processes_per_node", info.world_size},
        {"expected_world_size", info.world_size},
        {"launcher_completion",
         {{"status", status}, {"nodes_observed", 1}, {"reason_codes", Json::array()}}}}}};
  if (arm == nullptr) return context;
  const ArmFacts& facts = plan.facts.arms.at(static_cast<std::size_t>(arm->arm.value));
  context["declaration"] = {
      {"schema_version", 1},
      {"workload",
       {{"name", setting_json(facts, "workload.model")},
        {"parameters", {{"global_batch", facts.global_batch}, {"device", info.device}}}}},
      {"measurement", {{"start_step", 1}, {"completed_steps", plan.facts.steps_per_window}}}};
  return context;
}

Json own_json(const RunInfo& info, const CampaignSummary& summary, const ArmSummary* arm) {
  Json gates = Json::array();
  for (const GateResult& gate : summary.gates) {
    const GateFigures figures = figures_of(gate);
    gates.push_back(
        {{"name", gate.spec.name},
         {"outcome", name_of(gate.outcome)},
         {"reason", gate.reason ? Json(name_of(*gate.reason)) : Json(nullptr)},
         {"unit", figures.unit},
         {"estimate", json_number(figures.estimate)},
         {"lower", figures.interval ? json_number(figures.interval->lower) : Json(nullptr)},
         {"upper", figures.interval ? json_number(figures.interval->upper) : Json(nullptr)},
         {"margin", json_number(figures.margin)}});
  }
  return {{"tool_version", info.tool_version},
          {"arm", arm != nullptr ? Json(arm->name) : Json(nullptr)},
          {"warmup_in_means", false},
          {"step_wall_ms", arm != nullptr ? json_number(arm->wall_per_step) : Json(nullptr)},
          {"outcome", name_of(summary.outcome)},
          {"exit_code", exit_code_of(info, summary)},
          {"gates", std::move(gates)}};
}

Json primary_json(const Section& step_time, std::int64_t steps, const std::optional<Clock>& clock) {
  Json primary = step_time.diagnosis;
  primary["section"] = "step_time";
  primary["scope"] = "performance";
  primary["evidence"] = {{"steps_analyzed", steps},
                         {"diagnosis_clock", clock ? Json(name_of(*clock)) : Json(nullptr)}};
  return primary;
}

}  // namespace

std::string write_traceml_summary(const RunInfo& info, const Plan& plan,
                                  const CampaignSummary& summary, const std::string& text) {
  const ArmSummary* arm = chosen_arm(plan.facts, summary);
  const std::int64_t steps = arm != nullptr ? arm->windows * plan.facts.steps_per_window : 0;
  const Section step_time = step_time_section(arm, summary, steps);
  Section memory = empty_section("global_rank", {"peak_allocated_bytes", "peak_reserved_bytes"},
                                 info.device == "cpu" ? "NO GPU" : "NO DATA");
  memory.window = step_window(0, std::nullopt);
  memory.window.erase("diagnosis_clock");
  memory.units = {{"memory", "bytes"}};
  const Json no_steps = nullptr;
  const Json json = {
      {"schema_version", kSchemaVersion},
      {"generated_at", info.created_utc},
      {"duration_s", nullptr},
      {"analysis_window", nullptr},
      {"meta",
       {{"run_name", without_controls(without_folders(plan.config.name))},
        {"mode", step_time.rows.empty() ? "no_data" : "single_node"},
        {"world_size", info.world_size},
        {"nodes_observed", 1},
        {"gpus_observed", info.device == "cpu" ? Json(0) : Json(nullptr)}}},
      {"run_context", context_json(info, plan, arm)},
      {"primary_diagnosis",
       primary_json(step_time, steps, arm != nullptr ? arm->clock : std::nullopt)},
      {"system", section_json(empty_section("node_rank", {"cpu_percent", "ram_bytes"}, "NO DATA"),
                              info, no_steps)},
      {"process",
       section_json(empty_section("global_rank", {"cpu_percent", "ram_bytes"}, "NO DATA"), info,
                    no_steps)},
      {"step_time", section_json(step_time, info, steps)},
      {"step_memory", section_json(memory, info, steps)},
      {"text", text},
      {"traceml_bench", own_json(info, summary, arm)}};
  return json_text(json);
}

}  // namespace traceml
