#pragma once
// What threads and streams did during single steps, as few enough bars to be drawn: the longest
// events one by one, the rest merged, and the idle gaps with their causes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/lane_bars.h"
#include "harness/analysis/trace_report.h"

namespace traceml {

// One stream (device clock) or thread (host clock).
struct Lane {
  std::optional<std::string> device;  // of a stream
  std::string name;                   // the stream, or the thread in words
  bool launches = false;              // a thread that launched device work
  bool loads = false;                 // a thread inside a range of the loader
  std::vector<LaneBar> bars;          // by start
};

struct LaneGap {
  std::string device;
  TimeRange when;                  // from the begin of the step's window
  std::optional<IdleCause> cause;  // the largest part; null where the trace is not trusted with it
  std::uint32_t before = 0, after = 0;  // work: positions in TraceLanes::names
};

struct StepLanes {
  std::string step;  // "ProfilerStep#7"; empty: all selected work of a trace without steps
  std::optional<Nanos>
      idle;  // of gaps that work of this step ended, over all devices; null: refused
  Nanos begin{0}, length{0};  // window: begin from that of the trace's first step's
  std::vector<Lane> lanes;    // streams by device, then threads
  std::int64_t left_out_lanes = 0;
  std::vector<LaneGap> gaps;       // of at least TraceOptions::long_gap, by time
  std::int64_t left_out_gaps = 0;  // shorter ones of them
};

struct LaneLimits {
  std::size_t steps = 12;       // of a trace
  std::size_t streams = 12;     // of a step, the busiest
  std::size_t threads = 8;      // the same
  std::size_t gaps = 50;        // of a step, the longest
  std::size_t longest = 300;    // events of a lane that stay single
  std::int64_t nearness = 500;  // merged: nearer than this part of the window
  std::size_t bars = 60'000;    // of a trace: no further step once there are so many
};

// Positions in `idle`: the most idle step, then one that is as idle as the median where not all are
// taken, then the next most idle ones.
std::vector<std::size_t> choose_steps(const std::vector<Nanos>& idle, std::size_t most);

struct TraceLanes {
  std::vector<StepLanes> steps;  // by time
  std::int64_t all_steps = 0;    // that could be chosen
  LaneLimits limits;
  std::vector<std::string> names;  // that bars and gaps refer to, each once
};

// `report` is that of the timeline.
TraceLanes step_lanes(const Timeline& timeline, const TraceReport& report,
                      const LaneLimits& limits);

}  // namespace traceml
