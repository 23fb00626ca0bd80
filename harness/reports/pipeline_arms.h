#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/reports/report_input.h"

namespace traceml {

// One row of what is told of input pipelines.
struct PipelineArm {
  const ArmSummary& summary;
  const ArmFacts& facts;

  PhaseFigure phase(Phase phase) const {
    const auto found = summary.global.phases.find(phase);
    return found == summary.global.phases.end() ? PhaseFigure{} : found->second;
  }
  // Of a key that an arm may set; empty where the plan does not say.
  std::string_view setting(std::string_view key) const {
    for (const auto& [name, value] : facts.settings) {
      if (name == key) return value;
    }
    return {};
  }
};

// Arms that the user wrote and that do not get their batches from memory; none of commands.
inline std::vector<PipelineArm> pipeline_arms(const ReportInput& input) {
  std::vector<PipelineArm> arms;
  if (input.summary.commands) return arms;
  for (const ArmSummary& arm : input.summary.arms) {
    const ArmFacts& facts = input.plan.facts.arms.at(static_cast<std::size_t>(arm.arm.value));
    if (!arm.hidden && !facts.input_free) arms.push_back({arm, facts});
  }
  return arms;
}

// The name of an arm; empty for none.
inline std::string_view name_of_arm(const ReportInput& input, std::optional<ArmIndex> arm) {
  if (!arm) return {};
  return input.plan.facts.arms.at(static_cast<std::size_t>(arm->value)).name;
}

}  // namespace traceml
