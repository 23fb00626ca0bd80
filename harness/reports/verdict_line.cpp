#include <fmt/format.h>

#include <algorithm>

#include "harness/codec/gate_figures.h"
#include "harness/codec/shareable_text.h"
#include "harness/plan/spin_rules.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/scenario.h"
#include "harness/reports/sweep_report.h"
#include "harness/reports/terminal.h"

namespace traceml {
namespace {

// "1 of 2 gates failed", "wide_interval, 1 of 2 gates without a verdict".
std::string because(const CampaignSummary& summary) {
  const auto with = [&](Outcome outcome) {
    return std::count_if(summary.gates.begin(), summary.gates.end(),
                         [outcome](const GateResult& gate) { return gate.outcome == outcome; });
  };
  const std::string of =
      fmt::format("of {} gate{}", summary.gates.size(), summary.gates.size() == 1 ? "" : "s");
  switch (summary.outcome) {
    case Outcome::kPass:
      return fmt::format("{} {} passed", with(Outcome::kPass), of);
    case Outcome::kFail:
      return fmt::format("{} {} failed", with(Outcome::kFail), of);
    case Outcome::kInconclusive:
      return fmt::format("{}{} {} without a verdict",
                         summary.reason ? fmt::format("{}, ", name_of(*summary.reason)) : "",
                         with(Outcome::kInconclusive), of);
  }
  return "";
}

std::string outcome_text(const ReportInput& input) {
  const CampaignSummary& summary = input.summary;
  const int code = exit_code_of(input.info, summary);
  if (ended_early(input.info)) {
    return fmt::format("RUN FAILED (exit {}): {}", code,
                       without_folders(failure_sentence(input.info)));
  }
  const CampaignFacts& facts = input.plan.facts;
  if (summary.no_gates && summary.sweep) {
    return fmt::format("{} (exit {}): {}", sweep_word(*summary.sweep), code,
                       sweep_answer(*summary.sweep, facts));
  }
  if (summary.no_gates) return fmt::format("NO GATES (exit {})", code);
  std::string line =
      fmt::format("{} (exit {}): {}", word_of(summary.outcome), code, because(summary));
  if (!summary.launches.empty()) line += fmt::format(", {} launches", summary.launches.size());
  if (!facts.commands && input.plan.config.workload.device == Device::kAuto) {
    line += fmt::format(", device {}", input.info.device);
  }
  if (summary.sweep) line += "; sweep: " + sweep_answer(*summary.sweep, facts);
  return line;
}

// Behind the code of every verdict line.
std::string trial_text(const Config& config) {
  const std::string trial = trial_of(config);
  return trial.empty() ? "" : ", " + trial;
}

}  // namespace

std::string render_verdict_line(const ReportInput& input) {
  return outcome_text(input) + trial_text(input.plan.config);
}

}  // namespace traceml
