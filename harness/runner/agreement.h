#pragma once
// What all ranks must hold alike. Every function here is collective.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/ports/transport.h"

namespace traceml {

// Throws RunError, on all ranks, naming the first thing that a rank holds otherwise than rank 0:
// {"config", text}, ...
void require_equal(Transport& transport,
                   const std::vector<std::pair<std::string, std::string>>& things);

// Config, plan and build of this run, as require_equal() wants them.
std::vector<std::pair<std::string, std::string>> things_of(const Plan& plan,
                                                           const std::string& build);

// One sentence where a rank's parameters differ from rank 0's, on all ranks; empty where they
// agree.
std::string parameters_difference(Transport& transport, std::uint64_t digest);

// On rank 0 over all ranks, elsewhere empty: sums; for "events_high_water" the highest.
std::map<std::string, std::int64_t> total_counters(
    Transport& transport, const std::map<std::string, std::int64_t>& counters);

// On rank 0 the distinct non-empty lines of all ranks, in rank order; elsewhere empty.
std::vector<std::string> distinct_lines(Transport& transport,
                                        const std::vector<std::string>& lines);

// Collective. On rank 0, elsewhere empty: the distinct non-empty lines, each behind `opening` and,
// where it is not that of all ranks, behind "rank 1: " or "ranks 1, 2: ".
std::vector<std::string> lines_by_rank(Transport& transport, const std::string& own,
                                       const std::string& opening);

// Rank 0 writes those raw files into `out_dir` that are not there yet (no shared folder).
void gather_raw_files(Transport& transport, const std::string& own_dir, const std::string& out_dir);

// Collective. Every rank's line, without a line break, on all ranks and in rank order.
std::vector<std::string> lines_of_all_ranks(Transport& transport, const std::string& own);

}  // namespace traceml
