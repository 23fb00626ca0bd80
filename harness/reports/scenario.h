#pragma once
// What was measured, and what a reader must know beside the figures. Raw text, escaped by the form.

#include <string>
#include <utility>
#include <vector>

#include "harness/reports/report_input.h"

namespace traceml {

// ("model", "resnet50, 101 classes, ..."), ("data", ...), ...: opens every report.
std::vector<std::pair<std::string, std::string>> scenario(const ReportInput& input);

// Sentences that may cost the figures their meaning: the environment, stragglers, the analysis'
// warnings.
std::vector<std::string> warnings_of(const ReportInput& input);

// The rest: coverage of the device clock, what differs by design, notes of the run, counters.
std::vector<std::string> notes_of(const ReportInput& input);

// "the run failed: ...", for a run that ended before its plan.
std::string failure_sentence(const RunInfo& info);

}  // namespace traceml
