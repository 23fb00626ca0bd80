#include "harness/reports/clock_figures.h"

#include "harness/reports/words.h"

namespace traceml {
namespace {

std::optional<Millis> on_clock(const PhaseFigure& figure, Clock clock) {
  return clock == Clock::kGpu ? figure.gpu : figure.cpu;
}

}  // namespace

std::optional<Clock> clock_of_all(const CampaignSummary& summary) {
  std::optional<Clock> common;
  for (const ArmSummary& arm : summary.arms) {
    if (!arm.clock) continue;
    if (common && *common != *arm.clock) return std::nullopt;
    common = arm.clock;
  }
  return common;
}

std::string clock_words(const CampaignSummary& summary) {
  const auto clock = clock_of_all(summary);
  return clock ? std::string(clock_name(*clock)) : "each arm's clock";
}

std::optional<Millis> step_on(const StepFigures& figures, Clock clock) {
  return clock == Clock::kGpu ? figures.step_gpu : figures.step_cpu;
}

std::optional<Millis> phase_on(const StepFigures& figures, Phase phase, Clock clock) {
  const auto found = figures.phases.find(phase);
  return found == figures.phases.end() ? std::nullopt : on_clock(found->second, clock);
}

}  // namespace traceml
