#pragma once
// What the looks decide on: kept by each rank until the next look, then brought together.

#include <vector>

#include "harness/analysis/step_times.h"
#include "harness/core/records.h"
#include "harness/ports/transport.h"

namespace traceml {

class LookRecords {
 public:
  // `steps`: those that were recorded in the window; none of a bare arm.
  void add(const WindowRecord& window, const std::vector<StepRecord>& steps);

  // Collective. Sends what was added since the last time.
  void gather(Transport& transport);

  // Rank 0: of all ranks, up to the last gather; empty elsewhere.
  const std::vector<RankRecords>& windows() const { return windows_; }  // nothing but windows
  const TimesByRank& steps() const { return steps_; }

 private:
  std::vector<WindowRecord> unsent_windows_;
  std::vector<StepTime> unsent_steps_;
  std::vector<RankRecords> windows_;
  TimesByRank steps_;
};

}  // namespace traceml
