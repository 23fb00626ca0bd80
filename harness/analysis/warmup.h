#pragma once
// What the steps before an arm's first window tell.

#include <optional>

#include "harness/analysis/step_rows.h"
#include "harness/core/units.h"

namespace traceml {

// Of an arm's first warm-up step, host clock, max over ranks.
struct FirstStep {
  std::optional<Millis> batch;  // input_wait: the wait for the loader's first batch
  std::optional<Millis> step;   // input_wait + traced
};

// Null where a rank lacks that step or its time.
FirstStep first_step_of(const AlignedRows& warmup);

}  // namespace traceml
