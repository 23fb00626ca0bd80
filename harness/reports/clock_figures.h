#pragma once
// Figures of one clock (docs/clocks.md): a table never mixes two in one column.

#include <optional>
#include <string>

#include "harness/analysis/summary.h"

namespace traceml {

// The one clock of all arms that have phase times; nullopt where they differ.
std::optional<Clock> clock_of_all(const CampaignSummary& summary);

// "host clock", "each arm's clock".
std::string clock_words(const CampaignSummary& summary);

std::optional<Millis> step_on(const StepFigures& figures, Clock clock);
std::optional<Millis> phase_on(const StepFigures& figures, Phase phase, Clock clock);

}  // namespace traceml
