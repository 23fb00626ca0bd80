#pragma once
// Every number that the diagnosis of an input pipeline turns on, and why it is that
// (docs/input.md).

#include <cstdint>

namespace traceml {

struct InputThresholds {
  // Fewer timed batches of a rank say nothing: one window of the shortest kind has so many.
  std::int64_t least_batches = 8;

  // Share of the step that waiting for the input must exceed to be a cause of anything: a gate's
  // usual margin.
  double wait = 0.02;

  // Where nothing waited, the windows may have lived on what was made before them: as for
  // queue_credit, a window must have so many times the steps that the queue has batches, and the
  // queue must not lose more than this share of the batches, or one.
  std::int64_t queues_in_window = 2;
  double shrink = 0.01;

  // Where more than half of the waiting was at takes that found a batch ready, it was not for the
  // loader: the training thread had no core.
  double ready_wait = 0.5;

  // Workers that limit a step are busy. In order delivery and the meetings of the ranks leave some
  // idle; more than a quarter of their time idle contradicts it.
  double busy = 0.75;

  // The stage that takes more than half of a worker's time is what to work on.
  double stage = 0.5;

  // A sample that costs so many times the usual one is a slow file. Less may be its crop: only that
  // is decoded, and it has from 8 to 100 % of the photograph.
  double slow_sample = 4;

  // Slow files are the cause where more than half of the waiting was for batches with one.
  double slow_wait = 0.5;

  // More than the demand that advised workers supply: a queue in front of workers that are busy all
  // the time never recovers from a batch that cost more (waiting grows as 1 / (1 - utilisation)).
  double slack = 0.10;

  // Workers that get less of a core than this while they decode share it with others.
  double core = 0.8;
};

inline constexpr InputThresholds kInputThresholds;

}  // namespace traceml
