#pragma once
// What a step of GitHub Actions reads from standard output.

#include <string>

#include "harness/reports/report_input.h"

namespace traceml {

// Workflow commands, a line each, worst first: an ::error for each gate that failed (or has no
// verdict where the gate says `inconclusive: fail`) and for a run that failed, a ::warning for each
// gate without a verdict, a ::notice where the gate lets that pass. Nothing for gates that passed.
std::string render_github_annotations(const ReportInput& input);

}  // namespace traceml
