#pragma once
// Steps of make_plan() that concern arms that are commands.

#include <optional>
#include <string>

#include "harness/core/units.h"
#include "harness/plan/config.h"
#include "harness/plan/plan.h"

namespace traceml {

// Whether the arms are commands; none or all of them are.
bool runs_commands(const Config& config);

// Throws UsageError for arms of which only some are commands, for keys that mean nothing to the
// kind of the arms, for a command without one place of its number, and for arms whose numbers have
// different units.
void check_commands(const Config& config);

// Facts of a launch in place of those of a window: one launch is one unit, judged without the
// allowance for what one launch cannot see (docs/statistics.md, 2.3). Throws UsageError for more
// than one rank and for gates that need steps.
void plan_commands(Plan* plan);

// Unit of an arm's number: "ms".
std::string unit_of(const Config& config, const ArmConfig& arm);

// "python3 train.py '--name=a b'", fit to be typed.
std::string command_line_of(const CommandConfig& command);

// What `check` prints of a plan of commands: the launches in order, looks, and the time that
// `assumed_launch` (of every arm) would make of them. 100 columns.
std::string command_plan_text(const Plan& plan, std::optional<Millis> assumed_launch);

}  // namespace traceml
