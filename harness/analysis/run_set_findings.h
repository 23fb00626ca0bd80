#pragma once
// What is said of two sets of stored runs beside their figures; for run_set.cpp.

#include <cstddef>
#include <string>
#include <vector>

#include "harness/analysis/run_set.h"

namespace traceml {

// single_run, too_few_units: of the sets as given. `units` pairs count.
std::vector<Finding> set_findings(const std::vector<StoredRun>& baseline,
                                  const std::vector<StoredRun>& candidate, std::size_t units);

// How runs were paired and which were left out.
std::vector<std::string> set_notes(const std::vector<StoredRun>& baseline,
                                   const std::vector<StoredRun>& candidate);

// What forbids a verdict on the pairs that count, before the interval is looked at.
void add_findings(const std::vector<StoredRun>& baseline, const std::vector<StoredRun>& candidate,
                  RunSetComparison& comparison);

// What the means hold, why phases are not compared, the runs' own warnings.
void add_notes(const std::vector<StoredRun>& baseline, const std::vector<StoredRun>& candidate,
               RunSetComparison& comparison);

// "input.workers: 8 against 4": the candidate's first.
std::vector<std::string> differing_settings(const StoredRun& baseline, const StoredRun& candidate);

std::string outside_step_sentence(double wall_theta, double step_theta);

}  // namespace traceml
