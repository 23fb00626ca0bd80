#pragma once
// A run over time, for pictures: its windows in the order in which they ran, the steps of each arm
// and rank in bins, and what each gate saw at each look. Null is std::nullopt.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/distribution.h"
#include "harness/analysis/outcome.h"
#include "harness/analysis/range.h"
#include "harness/core/ids.h"
#include "harness/core/units.h"

namespace traceml {

struct RunWindow {
  WindowIndex window;
  ArmIndex arm;
  int block = 0;
  int order = 0;
  std::int64_t steps = 0;      // timed
  std::optional<Millis> wall;  // T_b: per step, max over ranks; null unless every rank has it
  std::string void_reason;     // empty: valid
  // Batches ready at its ends, over ranks; null without a queue.
  std::optional<Range> queue_start, queue_end;
  std::optional<double> loss_first, loss_last;  // mean over ranks
  // Largest over ranks and timed steps.
  std::optional<std::int64_t> allocated_peak_bytes, reserved_peak_bytes;
  // Over ranks, of the readings before and after it.
  std::optional<Range> sm_clock_mhz, power_w, temperature_c;
  std::optional<std::uint64_t> throttle_reasons;  // bits that some rank had
};

// Timed steps of an arm that lie side by side, over all ranks.
struct StepBin {
  std::size_t first_window = 0, last_window = 0;  // places in StepsOverTime::windows
  std::int64_t first_step = 0, last_step = 0;     // timed steps of those, from 0
  std::optional<Range> step;                      // input_wait + traced, ms, on the arm's clock
  std::optional<Range> wait;                      // input_wait, ms, host clock
};

struct MarkedStep {
  std::size_t window = 0;  // place in StepsOverTime::windows
  std::int64_t step = 0;   // timed, from 0
  Rank rank;
  Millis time{};
};

// Of each bin the furthest; the others are counted.
struct MarkedSteps {
  std::vector<MarkedStep> steps;
  std::int64_t left_out = 0;
};

struct ArmSteps {
  ArmIndex arm;
  Clock clock = Clock::kCpu;      // of its step times
  std::vector<Rank> ranks;        // that recorded steps, ascending
  std::size_t ranks_per_row = 1;  // so many neighbours share a row of `cells`
  std::vector<StepBin> bins;      // in the order of the run
  // Rows of `bins.size()` cells: least and largest step time, ms.
  std::vector<std::optional<Interval>> cells;
  std::optional<Fences> fences;  // of the arm's step times, ms
  MarkedSteps outliers;          // step times outside the fences
  MarkedSteps long_waits;        // waits for a batch of more than 5 ms, host clock
};

struct GatePoint {
  int block = 0;
  std::optional<double> log_ratio;  // ln(T_candidate / T_baseline); null where one is no time
  bool candidate_first = false;
  bool voided = false;
};

// What a gate knew when it was looked at.
struct GateLook {
  int units = 0;   // blocks, or launches of a pool
  int blocks = 0;  // that lie in them
  std::optional<double> theta;
  std::optional<Interval> interval;  // that a verdict needs
};

struct GateCourse {
  std::vector<GatePoint> points;  // by block
  std::vector<GateLook> looks;    // that were taken
};

struct StepsOverTime {
  std::vector<RunWindow> windows;  // ascending
  std::vector<ArmSteps> arms;      // instrumented ones that have steps, in order
  std::vector<GateCourse> gates;   // by CampaignFacts::gates
};

}  // namespace traceml
