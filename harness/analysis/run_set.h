#pragma once
// Two sets of stored runs, one file a run, against each other: docs/clocks.md rule 3,
// docs/statistics.md 2.3 (a run is a launch), 2.5 and 2.9. Pure.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/common_clock.h"
#include "harness/analysis/outcome.h"
#include "harness/analysis/statistics.h"
#include "harness/analysis/summary.h"
#include "harness/analysis/validity.h"

namespace traceml {

// One file as it was read: milliseconds per step, max over ranks of the ranks' means. NaN: what
// was given is no time.
struct StoredRun {
  std::string label;  // "a/run.json": as it was named
  std::string form;   // "traceml-bench 0.1.0, arm shipped", "TraceML 1.9"
  std::string created_utc;
  int world_size = 0;                           // 0: not said
  std::string device;                           // empty: not said
  std::optional<double> wall_ms;                // T_b, max over ranks; only our own files have it
  std::int64_t global_batch = 0;                // 0: not said
  ClockSide step;                               // its step_cpu and step_gpu: max over ranks
  ClockSide mean_over_ranks;                    // the same, mean over ranks; shown, never judged
  std::map<std::string, double> phases;         // mean over ranks, ms, on step.selected
  bool holds_warmup = false;                    // its means hold warm-up steps
  std::optional<std::int64_t> gap_steps;        // missing inside its window
  std::optional<std::int64_t> truncated_steps;  // of the training, outside its window
  std::vector<Finding> findings;                // what forbids a verdict
  std::string void_reason;            // why it is no launch: it ended early. Empty: it counts
  std::vector<std::string> warnings;  // one sentence each
  // What was set or declared, "input.workers" = "8".
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::pair<std::string, std::string>> declared;  // must be equal on both sides
};

enum class Figure { kWall, kStepGpu, kStepCpu };

// Two runs that count.
struct RunPair {
  std::string baseline, candidate;                            // labels
  std::optional<double> baseline_ms, candidate_ms;            // max over ranks
  std::optional<double> baseline_mean_ms, candidate_mean_ms;  // mean over ranks; null for walls
  std::optional<double> log_ratio;                            // null: one is no time
};

struct RunSetRule {
  double delta = 0.02;
  double alpha = 0.05;
  int looks = 4;  // K: each comparison is judged at alpha / K
};

struct PhaseChange {
  std::string phase;
  double baseline_ms = 0;
  double candidate_ms = 0;
};

struct RunSetComparison {
  Outcome outcome = Outcome::kInconclusive;
  std::vector<Finding> findings;  // why there is no verdict, headline first
  Direction direction = Direction::kUnresolved;
  std::optional<Figure> figure;  // null: no common clock
  bool per_image = false;        // batches differ: times are divided by the global batch
  std::vector<RunPair> pairs;    // those that count
  std::size_t units = 0;         // pairs with two times
  // ln(candidate / baseline), mean over pairs. With one pair it is advisory.
  std::optional<double> theta;
  std::optional<Interval> interval;     // of theta, at alpha / K a side
  std::optional<Interval> interval_90;  // plain
  std::optional<double> pair_sd;
  std::optional<double> minimum_detectable;
  // ln ratio of the step on the common clock, beside a verdict on the wall; mean over pairs.
  std::optional<double> step_theta;
  std::optional<Clock> step_clock;
  std::string outside_step;              // a sentence where wall and step disagree by the margin
  std::vector<PhaseChange> phases;       // means over the runs of a side, ms
  std::optional<Clock> phase_clock;      // null: phases are not comparable
  std::vector<std::string> differences;  // "input.workers: 8 against 4"
  std::vector<std::string> notes;        // one sentence each
};

// The i-th baseline is paired with the i-th candidate. Neither side may be empty.
RunSetComparison compare_run_sets(const std::vector<StoredRun>& baseline,
                                  const std::vector<StoredRun>& candidate, const RunSetRule& rule);

// 10, 11 or 0.
int exit_code_of(const RunSetComparison& comparison);

}  // namespace traceml
