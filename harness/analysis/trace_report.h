#pragma once
// All that is said of one trace. Plain data, in the order in which a person reads it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/device_time.h"
#include "harness/analysis/device_work.h"
#include "harness/analysis/gap_events.h"
#include "harness/analysis/host_calls.h"
#include "harness/analysis/host_silences.h"
#include "harness/analysis/idle_causes.h"
#include "harness/analysis/memory_use.h"
#include "harness/analysis/operators.h"
#include "harness/analysis/own_trace.h"
#include "harness/analysis/timeline_rules.h"
#include "harness/analysis/timeline_trust.h"

namespace traceml {

struct TraceOptions {
  std::optional<SelectionKind> selection;  // usual_selection() unless set
  Nanos long_gap = kRules.long_gap;        // gaps of at least that are listed
  std::size_t most_rows = 10;              // of each list
  std::optional<RunOfTrace> run{};         // of a trace that a run of ours made
};

// One long gap in words.
struct LongGap {
  TimeRange when;                 // begin: from the first selected work of the device
  std::string before, after;      // work
  std::string launch;             // the call that ended it; empty: not recorded
  std::string thread;             // that made it
  std::optional<Nanos> launched;  // after the gap's begin; negative: before it
  Whereabouts where;
  IdleCause cause = IdleCause::kUnexplained;  // the largest part
  std::vector<std::string> others;
};

struct DeviceReport {
  DeviceTime time;                       // of the selection
  std::optional<DeviceTime> whole, hta;  // of those, where they are other selections
  TimeRange idle;                        // least and most; equal unless the trust is a range
  CauseShares causes;
  std::int64_t long_gaps = 0;  // of at least TraceOptions::long_gap
  Nanos long_total{0};
  std::vector<LongGap> gaps;          // the longest of them
  std::vector<GapEvents> gap_events;  // against all of them
  std::vector<CopyTotal> copies;      // of this device alone
};

struct TraceFinding {
  std::string cause;  // "late_batch"
  double share = 0;   // of the span that it touches
  std::string observation, hypothesis, next_check;
};

struct TraceReport {
  std::string file;  // as it was named
  std::optional<int> rank, world_size;
  std::int64_t events = 0, host_events = 0, device_events = 0, sync_events = 0, threads = 0;
  std::optional<std::string> listed_devices;
  bool with_stack = false;
  TraceOptions options;
  TimelineTrust trust;
  SelectionKind selection = SelectionKind::kWhole;
  std::int64_t all_steps = 0;      // ProfilerStep ranges in the file
  std::int64_t selected_work = 0;  // device events
  Nanos lag{0};                    // from the end of the last step to that of its device work
  std::vector<DeviceReport> devices;
  std::vector<StepTotal> steps;
  std::vector<PhaseTotal> phases;
  std::vector<KernelTotal> kernels;
  std::optional<Nanos> median_kernel;
  std::vector<OperatorTotal> operators;
  std::vector<CopyTotal> copies;
  std::optional<LaunchLag> lag_of_launches;
  std::vector<WaitingCalls> waiting;
  BlockedCalls blocked;
  std::vector<HostSilence> silences;
  std::vector<MemoryUse> memory;
  std::int64_t collectives = 0;        // communication kernels
  std::optional<OwnTraceFigures> own;  // null: a profiler's trace
  std::vector<TraceFinding> findings;
  std::vector<std::string> cannot_tell;
};

TraceReport explain_timeline(const Timeline& timeline, const TraceOptions& options,
                             const std::string& file);

}  // namespace traceml
