#pragma once
// Two equal arms in place of those of a config: what a self-check runs (docs/statistics.md, 2.7).

#include <string>

#include "harness/plan/config.h"

namespace traceml {

// Where measure.equal_arms names an arm: that arm, "ARM-again" beside it, "ARM-plus-3" for each of
// measure.equal_plants (forward and backward slower by 3 %), arms that have plants of their own,
// and a gate on each of them against the first one, with the margin of the config's own gate. Else
// nothing is changed. A config whose arms are equal already stays as it is. Throws UsageError for
// an arm that is not there, and for arms that are commands.
void use_equal_arms(Config* config);

// Whose copies a self-check takes where none is named: what the first gate judges, else the first
// arm that has input, else the first.
std::string arm_to_check(const Config& config);

}  // namespace traceml
