#pragma once
// What reports say of a run whose arms are commands.

#include <string>
#include <utility>
#include <vector>

#include "harness/reports/report_input.h"
#include "harness/reports/table.h"

namespace traceml {

// ("command of slow", "python3 train.py"), ("number", ...), ...: opens every report.
std::vector<std::pair<std::string, std::string>> command_scenario(const ReportInput& input);

// Launches, mean, median, min and max of each arm's numbers, in their unit.
Table command_table(const ReportInput& input);

// "+3.1 %" is followed by it: "(ms)", "(1 / images/s)".
std::string judged_number(const CommandFacts& facts);

// What a run measures: "windows" or "launches".
std::string measured_units(const CampaignFacts& facts);

// What holds for the estimates of all gates.
std::string command_basis(const CampaignFacts& facts);

}  // namespace traceml
