#pragma once
// Everything that reports show, derived from raw records by summarize_campaign(). Null is
// std::nullopt.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/all_reduce.h"
#include "harness/analysis/distribution.h"
#include "harness/analysis/input_figures.h"
#include "harness/analysis/outcome.h"
#include "harness/analysis/range.h"
#include "harness/analysis/steps_over_time.h"
#include "harness/core/campaign.h"
#include "harness/core/ids.h"
#include "harness/core/phase.h"
#include "harness/core/sweep.h"
#include "harness/core/units.h"

namespace traceml {

struct PhaseFigure {
  std::optional<Millis> cpu;
  std::optional<Millis> gpu;
};

// One rank, or all of them (means over ranks), over every timed step of an arm's instrumented
// windows.
struct StepFigures {
  std::optional<Millis> step_cpu;  // input_wait + traced
  std::optional<Millis> step_gpu;
  std::map<Phase, PhaseFigure> phases;  // phases that occurred
  std::optional<Millis> compute;        // on the arm's clock
  std::optional<Millis> residual;       // on the arm's clock
  std::int64_t residual_clamped_steps = 0;
  std::optional<Millis> outside;  // host clock: cadence - step
};

// Throughput as a share of an input-free arm's, over the blocks in which both ran.
struct FractionFigure {
  double fraction = 0;
  std::optional<Interval> interval;  // 90 %, with the allowance for what one launch cannot see
  int blocks = 0;
};

// So many of so many intervals between long waits are equal.
struct WaitRhythm {
  std::int64_t steps = 0;  // from wait to wait
  std::int64_t intervals = 0;
  std::int64_t of = 0;
  friend bool operator==(const WaitRhythm&, const WaitRhythm&) = default;
};

inline constexpr Millis kLongWait{5};

// Waits for a batch of more than kLongWait, host clock, over ranks and steps.
struct LongWaits {
  std::int64_t count = 0;
  Millis total{};
  Millis longest{};
  std::optional<WaitRhythm> rhythm{};  // null: no interval dominates
};

struct RankFigures {
  Rank rank;
  std::optional<Millis> wall_per_step;  // mean over windows of this rank's own wall per step
  StepFigures figures;
  std::string coverage;                 // device clock: "29/30"
  std::int64_t last_at_all_reduce = 0;  // steps on which this rank waited least at the all-reduce
  std::int64_t all_reduce_steps = 0;    // steps with records of all ranks
};

// The devices of an arm's valid windows, as read just before and just after each; over ranks.
struct DeviceFigures {
  std::int64_t windows = 0;          // with a reading of throttle reasons
  std::int64_t throttled = 0;        // of them, with a reason that forbids a verdict
  std::int64_t power_capped = 0;     // of them, at the power cap
  std::vector<std::string> reasons;  // that were seen, but for idle: "sw_power_cap"
  std::optional<Range> sm_clock_mhz, memory_clock_mhz, power_w, temperature_c;
  std::int64_t shared_windows = 0;  // with another process on a device
};

// Of the timed steps of an arm's valid windows, as the device's allocator says.
struct MemoryFigures {
  std::optional<std::int64_t> allocated_peak_bytes;  // largest of steps and ranks
  std::optional<std::int64_t> reserved_peak_bytes;
  std::int64_t grown_windows = 0;  // in which some rank reserved more than at the first timed step
  std::int64_t growth_bytes = 0;   // most in one of them
};

// T_b of one valid window: host clock, max over ranks.
struct WindowWall {
  int block = 0;  // over all launches where they are judged together
  std::int64_t steps = 0;
  Millis per_step{};
};

struct ArmSummary {
  ArmIndex arm;
  std::string name;
  bool hidden = false;
  bool instrumented = false;
  std::int64_t windows = 0;  // valid windows, all looks
  std::int64_t voided_windows = 0;
  std::int64_t outlier_windows = 0;        // outside Tukey's 3 IQR fences; labelled, never dropped
  std::vector<WindowWall> window_walls{};  // of `windows`, in order of blocks
  std::optional<Millis> wall_per_step;     // mean of T_b: host clock, max over ranks
  std::optional<double> images_per_s;      // global batch / wall_per_step
  std::optional<double>
      fraction_of_reference;  // exp(-theta) against the matched reference, for display
  std::optional<Interval> fraction_interval;  // of it
  std::optional<FractionFigure> of_common;    // against CampaignSummary::common_reference
  std::optional<Clock> clock;                 // of the phase table; null without instrumentation
  std::string
      clock_why;  // for cpu: "no device clock", or the first rank, step and phase that lacked it
  StepFigures global;  // mean over ranks
  std::vector<RankFigures> ranks;
  std::optional<Distribution> step_distribution;    // per step, max over ranks, on `clock`
  std::optional<Distribution> window_distribution;  // T_b
  LongWaits long_waits;
  // Of the first warm-up step, host clock, max over ranks; null without instrumentation.
  std::optional<Millis> first_batch;             // input_wait
  std::optional<Millis> first_step;              // input_wait + traced
  std::optional<double> loss_first, loss_last;   // mean over windows
  std::optional<AllReduceFigures> all_reduce{};  // null without records of it
  std::optional<InputSummary> input{};           // null without records of its batches
  std::optional<DeviceFigures> device;           // null: no monitor
  std::optional<MemoryFigures> memory;           // null: no step has its memory
};

// A change between the two arms of a gate, mean over ranks, on one clock.
struct PhaseDifference {
  std::string what;  // a phase, "outside" or "residual"
  Clock clock = Clock::kCpu;
  Millis difference{};
};

enum class Direction { kSlower, kFaster, kUnresolved };
std::string_view name_of(Direction direction);

// The raw time of the matched reference against that of the stored campaigns: sees what slows both
// arms, to which their ratio is blind.
struct ReferenceGuard {
  std::string arm;
  double delta = 0.08;
  Outcome outcome = Outcome::kInconclusive;
  std::optional<double> theta;
  std::optional<Interval> interval;
  std::optional<double> minimum_detectable;
};

// The second measurement of a gate that failed (confirm_on_fail); it was FAIL at first.
struct Confirmation {
  std::string first_why;  // what the first campaign failed by
  std::optional<double> first_theta;
  // Of the second campaign; null while it is not measured yet.
  std::optional<Outcome> outcome;
  std::optional<double> theta;
  std::optional<Interval> interval;
  std::string why;
};

// Of a gate against stored campaigns.
struct StoredComparison {
  int pin = 0;                                 // number of the pin; 0: nothing is pinned
  std::vector<std::string> campaigns;          // those that are pinned, by name
  int candidates = 1;                          // campaigns that are judged together
  std::optional<ReferenceGuard> guard;         // null: the arm's own raw time is judged
  std::vector<std::string> treatments;         // "commit: b here, a in campaign 1": what is judged
  std::vector<std::string> also_differ;        // facts that are recorded and not compared: "kernel"
  std::optional<Confirmation> confirmation{};  // null: there was nothing to confirm
};

struct GateResult {
  GateSpec spec;
  Outcome outcome = Outcome::kInconclusive;
  bool escalated = false;           // a failure only because earlier runs gave no verdict either
  std::optional<Reason> reason;     // headline, for inconclusive
  std::vector<Reason> all_reasons;  // headline first
  std::string why;                  // one sentence with the arithmetic of the reason
  Direction direction = Direction::kUnresolved;

  // ln(T_candidate / T_baseline); null with fewer than two pairs.
  std::optional<double> theta;
  std::optional<Interval> interval;     // of theta at alpha / K a side, interaction allowance
                                        // included: PASS needs its upper
  std::optional<double> fail_lower;     // lower bound of theta at alpha / (K m): FAIL needs it
  std::optional<Interval> interval_90;  // plain 90 %, for comparison with other tools
  std::optional<double> order_effect;   // gamma
  std::optional<double> pair_sd;
  std::optional<double> p_regression;    // one-sided, of the boundary: what Holm's procedure sorts
  std::optional<double> hodges_lehmann;  // of the pairs
  std::optional<Interval> hodges_lehmann_interval;
  std::optional<double>
      minimum_detectable;  // relative change that this many blocks see with 80 % power
  std::optional<double>
      unseen_fraction;  // q95: an event in fewer windows than this may have gone unseen
  int blocks = 0;       // pairs used
  int launches = 0;     // launches used, where they are judged together; else 0
  int blocks_voided = 0;
  int look = 0;  // blocks (launches) at which the gate closed, 0 if it never did
  std::vector<std::string> differing_keys;  // "input.workers: 8 against 4"
  std::vector<PhaseDifference> where;       // largest first; empty where no common clock
  std::optional<Millis> mean_difference;    // T_candidate - T_baseline, wall per step
  std::optional<std::vector<std::pair<Rank, Millis>>> per_rank_difference;  // overhead gates
  std::string outside_step;  // a sentence where T_b and the step differ by more than the margin
  std::optional<StoredComparison> stored{};
};

// How one setting of a sweep stands to the one that was chosen as the best.
enum class Standing { kBest, kTied, kWorse, kUnresolved };
std::string_view name_of(Standing standing);

// A diagnosis, never a verdict: what most of a setting's distance to its reference is.
enum class Limit { kNothing, kInput, kElsewhere };
std::string_view name_of(Limit limit);

// Share of the step that waits for input: input_wait and exposed h2d, mean over ranks.
struct InputWait {
  Clock clock = Clock::kCpu;
  double share = 0;
  std::optional<double> of_reference;  // null without one, or on another clock
  std::optional<Limit> limit;
};

struct SettingResult {
  SweepSetting setting;
  Standing standing = Standing::kUnresolved;
  std::optional<GateResult> judged;  // against the best; null for the best, and without one
  // Not proven worse, and it may be faster than the best by more than the margin, or is proven so:
  // the best may be none, or is none.
  bool doubts_best = false, beats_best = false;
  std::optional<FractionFigure> of_matched, of_common;
  std::optional<InputWait> waits;
};

enum class Knee {
  kFound,   // at the smallest value that is as fast as the best
  kOpen,    // there or below: smaller values are unresolved
  kBeyond,  // no knee inside the range: the largest value is the best and the one before it worse
  kNone     // the values are no numbers, or there is no best
};
std::string_view name_of(Knee knee);

// Of a sweep in which each setting has its own value of one key.
struct SweepCurve {
  std::size_t key = 0;             // in SweepSpec::keys
  std::vector<std::size_t> order;  // of the settings: by value where all are numbers
  Knee knee = Knee::kNone;
  std::optional<std::size_t> at;  // setting, of kFound and kOpen
};

struct SweepResult {
  SweepSpec spec;
  std::vector<SettingResult> settings;  // as written
  std::optional<std::size_t> best;      // chosen on the first blocks
  std::optional<std::size_t> answer;    // the cheapest of the best and those tied with it
  std::vector<std::size_t> open;        // unresolved and cheaper than the answer, cheapest first
  std::vector<std::size_t> doubts;      // settings that may be faster by more than the margin
  std::string why_no_answer;            // one sentence; empty with an answer
  std::optional<SweepCurve> curve;
};

struct Straggler {
  Rank rank;
  std::string arm;
  std::int64_t last_steps = 0;
  std::int64_t of_steps = 0;
  bool recurring = false;
};

// The numbers of one arm's launches, in their unit. Null without a valid launch.
struct CommandFigures {
  std::int64_t launches = 0;  // of valid blocks
  std::int64_t voided = 0;    // of void ones
  std::optional<double> mean, median, min, max;
};

struct CommandSummary {
  std::vector<CommandFigures> arms;  // in the order of CampaignFacts::arms
  int blocks_voided = 0;
};

// One of several launches that are judged together.
struct LaunchRow {
  int number = 0;  // from 1
  int blocks = 0;
  std::vector<std::optional<Millis>> walls;   // by ArmIndex: wall per step, mean of T_b
  std::vector<std::optional<double>> thetas;  // by gate: the unit of its verdict; null: void
};

struct CampaignSummary {
  Outcome outcome = Outcome::kInconclusive;
  bool no_gates = false;  // the config has none: exit code 0, "NO GATES"
  int exit_code = 11;
  std::optional<Reason> reason;  // of the headline gate
  std::vector<GateResult> gates;
  std::vector<ArmSummary> arms;  // in the order of CampaignFacts::arms; hidden ones included
  std::optional<ArmIndex> common_reference{};  // the first input-free arm
  std::vector<Straggler> stragglers;
  std::vector<Rank> missing_ranks;
  std::vector<std::string>
      warnings;  // one sentence each: steadiness, outliers, floored residuals, ...
  int blocks = 0;
  std::optional<CommandSummary> commands{};  // null: the arms train
  std::vector<LaunchRow> launches;           // in order; empty: one launch, judged alone
  std::optional<SweepResult> sweep{};
  StepsOverTime steps_over_time;  // what pictures are made of
};

}  // namespace traceml
