#pragma once
// The folder of a self-check: OUT/selfcheck_request.json and OUT/runs/0001/, 0001.log, 0002/, ...,
// each the folder of a run or of a campaign of launches.

#include <cstdint>
#include <string>

#include "harness/codec/selfcheck_json.h"

namespace traceml {

// Whether `dir` holds a self-check.
bool is_selfcheck_folder(const std::string& dir);

// "OUT/runs/0003".
std::string dir_of_equal_run(const std::string& out, int number);

// Each run has a seed of its own, unlike those of the launches of other runs.
std::uint64_t seed_of_equal_run(std::uint64_t seed, int number);

// Runs 1 to this one are finished. Throws as read_if_finished() and read_launches().
int finished_equal_runs(const std::string& out, const SelfcheckRequest& request);

// Everything that the finished runs say. Throws RunError where there is none, or one is missing,
// torn, edited or a copy.
SelfcheckReport read_selfcheck(const std::string& out);

// Prints the report (with `quiet` its last line alone) and writes selfcheck.json, selfcheck.txt,
// selfcheck.html (where the build has pages) and noise_profile.json into OUT.
void publish_selfcheck(const std::string& out, const SelfcheckReport& report, bool quiet);

}  // namespace traceml
