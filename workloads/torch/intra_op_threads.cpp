#include "workloads/torch/intra_op_threads.h"

#include <algorithm>
#include <string>

#include "harness/core/error.h"

namespace traceml {

int intra_op_threads(int requested, const std::vector<RankCores>& ranks, Rank self) {
  const std::size_t sharing = ranks_sharing_cores(ranks, self).size();
  const std::size_t cores = ranks[static_cast<std::size_t>(self.value)].cores.size();
  const int share = std::max(1, static_cast<int>(cores / sharing));
  if (requested == 0) return share;
  if (requested > share) {
    throw UsageError("workload.threads: " + std::to_string(requested) + " on each of " +
                     std::to_string(sharing) + " ranks exceeds the " + std::to_string(cores) +
                     " cores that they may use; set at most " + std::to_string(share) +
                     ", or 0 for an equal share");
  }
  return requested;
}

}  // namespace traceml
