#pragma once
// Which cores the ranks may use, and how they share them.

#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/ports/transport.h"

namespace traceml {

// Where a rank may run.
struct RankCores {
  std::string node;        // equal for ranks of one machine
  std::vector<int> cores;  // of its affinity mask, ascending
};

// The cores of this process's affinity mask. Throws RunError if the system does not say.
RankCores cores_of_this_process();

// The cores of every rank, in rank order, the same on all ranks. Collective.
std::vector<RankCores> gather_cores(Transport& transport);

// The indices in `ranks`, ascending, of those that may use any core of rank `self`, itself
// included.
std::vector<std::size_t> ranks_sharing_cores(const std::vector<RankCores>& ranks, Rank self);

// An equal part of the cores of rank `self`, neighbouring ones, no other's: where ranks that share
// cores share all of them. One that other ranks have, too, where ranks exceed the cores; all of its
// cores where masks overlap in part.
std::vector<int> share_of_cores(const std::vector<RankCores>& ranks, Rank self);

// Collective. Every thread of this process, and those that they will start, keeps to its share.
// Returns the share. Throws RunError where the system refuses.
std::vector<int> keep_to_share_of_cores(Transport& transport);

}  // namespace traceml
