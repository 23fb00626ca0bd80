#pragma once
// What an arm's input pipeline is held up by, and how many workers would do: a diagnosis, never a
// verdict. The rules and their reasons: input_thresholds.h.

#include <optional>
#include <string>

#include "harness/analysis/input_figures.h"

namespace traceml {

// Of one rank; times of a batch.
struct InputEvidence {
  InputFigures figures;
  int workers = 0;
  std::int64_t batch = 0;
  std::int64_t queue_capacity = 0;
  std::int64_t steps_per_window = 0;
  std::optional<Millis> demand;  // the step without its input
  std::string demand_of;
  Millis work_without_slow{};  // of a batch, each slow sample at the usual cost
  double slow_wait = 0;        // share of worker_wait for batches with a slow sample
  double ready_wait = 0;       // share of worker_wait though a batch was ready
  std::optional<SlowFile> slowest;
  Millis usual_sample{};
  std::optional<int> cores;  // for the workers and the training thread
};

InputDiagnosis diagnose_input(const InputEvidence& evidence);

// The fewest workers that supply the demand and the slack; at least 1. `work`: of a batch.
int workers_for(Millis work, Millis demand);

}  // namespace traceml
