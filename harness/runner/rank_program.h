#pragma once
// The program of one rank: agree, prepare, check contracts, warm up, run the blocks of the plan,
// store and gather.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/codec/run_id.h"
#include "harness/plan/plan.h"
#include "harness/ports/activity_trace.h"
#include "harness/ports/device_clock.h"
#include "harness/ports/device_monitor.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/operator_trace.h"
#include "harness/ports/transport.h"
#include "harness/ports/workload.h"
#include "harness/runner/progress.h"
#include "harness/runner/run_watch.h"

namespace traceml {

struct RankOptions {
  std::string build;        // version and commit of the binary: must be equal on all ranks
  RunId run;                // what the raw files say whose they are; equal on all ranks
  std::string own_raw_dir;  // this rank writes here after each window; exists
  std::string out_raw_dir;  // rank 0: files of all ranks lie here in the end; exists on rank 0
  std::string trace_dir;    // rank 0 makes it where steps are traced
  ProgressSink* progress = nullptr;  // rank 0 only; may be null
  // Real time, for the drain of device marks, the time limit and progress, where `clock` of
  // run_rank() is simulated; null: that clock. Outlives the run.
  HostClock* wall = nullptr;
  ActivityTrace* activities = nullptr;  // null: none. Outlives the run
  OperatorTrace* operators = nullptr;   // null: not asked for. Outlives the run
  // With a device the warm-up of the first arm goes on, in whole periods, until it has lasted so
  // long.
  Seconds min_device_warm_up{5};
};

struct RunOutcome {
  bool finished = false;  // the plan was run to a look that stopped it
  std::string failure;    // else, or where ranks ended with different parameters: one sentence.
                          // Equal on all ranks
  int blocks = 0;         // finished blocks
  Nanos gathering{};      // until the raw files of all ranks lay on rank 0, by its real clock
  std::vector<std::string> notes;
  std::map<std::string, std::string> equal_by_design;  // arm -> how its reference differs by design
  std::map<std::string, std::string> facts;            // Workload::facts() of this rank
  std::map<std::string, std::int64_t> counters;        // rank 0: over all ranks; empty elsewhere
};

// Collective: every rank calls it with an equal plan. What goes wrong on a rank ends all ranks
// through watch.fail() with rank, arm, window, step, phase and cause; finished windows stay in
// own_raw_dir. `watch` shows where the rank is; its time limit is lifted at the end. `device` and
// `monitor` are null where there is none.
RunOutcome run_rank(const Plan& plan, const RankOptions& options, RunWatch& watch,
                    Workload& workload, Transport& transport, HostClock& clock, DeviceClock* device,
                    DeviceMonitor* monitor = nullptr);

// How many device marks a run of this plan can have out at once: the size to give a DeviceClock's
// pool.
std::uint32_t device_marks_needed(const Plan& plan);

// Host memory that the records of a window of this plan take while it runs.
std::size_t record_bytes_needed(const Plan& plan);

// About how many bucket records a window or warm-up round of this plan gives: a collective on a
// device keeps events for so many.
std::size_t bucket_records_needed(const Plan& plan);

}  // namespace traceml
