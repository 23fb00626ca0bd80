#include "harness/reports/prometheus.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/codec/efficiency.h"
#include "harness/codec/gate_figures.h"
#include "harness/codec/shareable_text.h"
#include "harness/plan/spin_rules.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

using Labels = std::vector<std::pair<std::string_view, std::string>>;

std::string label_value(std::string_view text) {
  std::string escaped;
  for (const char byte : plain_text(without_folders(text))) {  // no line break is left in it
    if (byte == '\\' || byte == '"') escaped.push_back('\\');
    escaped.push_back(byte);
  }
  return escaped;
}

// One metric: its head, then its samples.
class Metric {
 public:
  Metric(std::string_view name, std::string_view help, const ReportInput& input)
      : name_(fmt::format("traceml_bench_{}", name)),
        help_(help),
        config_(fmt::format("config=\"{}\"", label_value(input.plan.config.name))) {}

  void add(const Labels& labels, std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return;
    std::string text = config_;
    for (const auto& [label, of] : labels)
      text += fmt::format(",{}=\"{}\"", label, label_value(of));
    samples_ += fmt::format("{}{{{}}} {}\n", name_, text, *value);
  }

  void add(const Labels& labels, std::optional<Millis> value) {
    add(labels, value ? std::optional(Seconds(*value).count()) : std::nullopt);
  }

  std::string text() const {
    if (samples_.empty()) return "";
    return fmt::format("# HELP {0} {1}\n# TYPE {0} gauge\n{2}", name_, help_, samples_);
  }

 private:
  std::string name_, help_, config_, samples_;
};

// Seconds since 1970 of "2026-11-29T18:15:00Z"; nullopt for any other form.
std::optional<double> unix_seconds(const std::string& utc) {
  std::tm time{};
  char zone = 0;
  if (std::sscanf(utc.c_str(), "%d-%d-%dT%d:%d:%d%c", &time.tm_year, &time.tm_mon, &time.tm_mday,
                  &time.tm_hour, &time.tm_min, &time.tm_sec, &zone) != 7 ||
      zone != 'Z') {
    return std::nullopt;
  }
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  return static_cast<double>(::timegm(&time));
}

std::string run_metrics(const ReportInput& input) {
  Metric about("run_info", "The run that these figures are of; the value is 1.", input);
  Labels labels = {{"version", input.info.tool_version}, {"device", input.info.device}};
  if (const std::string trial = trial_of(input.plan.config); !trial.empty()) {
    labels.emplace_back("trial", trial);
  }
  about.add(labels, 1.0);
  Metric created("run_created_timestamp_seconds", "When the run began, Unix time.", input);
  created.add({}, unix_seconds(input.info.created_utc));
  Metric code("exit_code", "0 pass, 10 a gate failed, 11 inconclusive, 4 the run itself failed.",
              input);
  code.add({}, static_cast<double>(exit_code_of(input.info, input.summary)));
  return about.text() + created.text() + code.text();
}

std::string gate_metrics(const ReportInput& input) {
  Metric outcome("gate_outcome", "1 for the verdict of the gate, 0 for the other two.", input);
  const char* unit = "unit relative: change of the candidate's time; fraction: of throughput.";
  Metric estimate("gate_estimate_ratio", fmt::format("Estimate of the gate; {}", unit), input);
  Metric lower("gate_lower_ratio", "Lower bound of the interval that decides.", input);
  Metric upper("gate_upper_ratio", "Upper bound of the interval that decides.", input);
  Metric margin("gate_margin_ratio", "What the gate allows (relative) or needs (fraction).", input);
  for (const GateResult& gate : input.summary.gates) {
    const GateFigures figures = figures_of(gate);
    for (const Outcome one : {Outcome::kPass, Outcome::kFail, Outcome::kInconclusive}) {
      outcome.add({{"gate", gate.spec.name}, {"outcome", std::string(name_of(one))}},
                  gate.outcome == one ? 1.0 : 0.0);
    }
    const Labels labels = {{"gate", gate.spec.name}, {"unit", std::string(figures.unit)}};
    estimate.add(labels, figures.estimate);
    if (figures.interval) {
      lower.add(labels, figures.interval->lower);
      upper.add(labels, figures.interval->upper);
    }
    margin.add(labels, figures.margin);
  }
  return outcome.text() + estimate.text() + lower.text() + upper.text() + margin.text();
}

std::string arm_metrics(const ReportInput& input) {
  Metric wall("wall_per_step_seconds",
              "Wall per step: host clock, device synchronised, max over ranks, mean of windows.",
              input);
  Metric step("step_seconds", "input_wait and traced, mean over ranks and timed steps.", input);
  Metric phase("phase_seconds", "A phase of a step, mean over ranks and timed steps.", input);
  Metric images("images_per_second", "Global batch by wall per step.", input);
  Metric fraction("fraction_of_reference_ratio",
                  "Throughput as a share of that with the matched input-free reference.", input);
  Metric reserved("memory_reserved_peak_bytes",
                  "Peak of the device's allocator over ranks and timed steps.", input);
  Metric mfu("mfu_ratio", "Model FLOP by the device's dense peak.", input);
  for (const ArmSummary& arm : input.summary.arms) {
    const Labels of_arm = {{"arm", arm.name}};
    const auto on = [&](const char* clock) { return Labels{{"arm", arm.name}, {"clock", clock}}; };
    wall.add(on("host"), arm.wall_per_step);
    step.add(on("host"), arm.global.step_cpu);
    step.add(on("device"), arm.global.step_gpu);
    for (const auto& [which, figure] : arm.global.phases) {
      const std::pair<std::string_view, std::string> label = {"phase", std::string(name_of(which))};
      phase.add({of_arm.front(), label, {"clock", "host"}}, figure.cpu);
      phase.add({of_arm.front(), label, {"clock", "device"}}, figure.gpu);
    }
    images.add(of_arm, arm.images_per_s);
    fraction.add(of_arm, arm.fraction_of_reference);
    if (arm.memory && arm.memory->reserved_peak_bytes) {
      reserved.add(of_arm, static_cast<double>(*arm.memory->reserved_peak_bytes));
    }
    const auto efficiency = efficiency_of(input.plan, input.info.environment, arm);
    if (efficiency) mfu.add(of_arm, efficiency->mfu);
  }
  return wall.text() + step.text() + phase.text() + images.text() + fraction.text() +
         reserved.text() + mfu.text();
}

}  // namespace

std::string render_prometheus(const ReportInput& input) {
  return run_metrics(input) + gate_metrics(input) + arm_metrics(input);
}

}  // namespace traceml
