#pragma once
// Where the time of the input goes, and what it is held up by.

#include <optional>
#include <string>

#include "harness/reports/report_input.h"
#include "harness/reports/table.h"

namespace traceml {

// "input of shipped: input-bound: 3 of 3 workers busy, ..."; empty where the arm has no diagnosis.
std::string input_sentence(const ArmSummary& arm);

// One line an arm that has records of its batches, mean of ranks, with the slowest files below it
// and the diagnosis of each arm that no failed gate tells of. nullopt where no arm has them.
std::optional<Table> input_table(const ReportInput& input);

}  // namespace traceml
