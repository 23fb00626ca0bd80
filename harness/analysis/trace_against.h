#pragma once
// One trace against an earlier one of the same job: what changed per step, by more than it varies
// between the steps of each. No verdict: steps of one launch are no sample of launches.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/timeline_selection.h"

namespace traceml {

// Times per step, means over steps; null where a side does not have it.
struct Mover {
  std::string name;
  std::string shape;  // of a kernel's launch; empty: not told, or no kernel
  std::optional<double> before_ns, after_ns;
  std::int64_t count_before = 0, count_after = 0;  // over all steps
  std::optional<double> noise_ns;  // a change up to that is spread over steps; null: one step only
  bool moved = false;

  std::optional<double> change_ns() const;  // a side without it counts 0
};

struct TraceComparison {
  std::string before_file;
  std::int64_t steps_before = 0, steps_after = 0;  // with device work
  std::int64_t empty_before = 0, empty_after = 0;  // steps without any; left out
  std::vector<Mover> totals;                       // host step, kernels, copies
  std::vector<Mover> kernels;                      // by name and launch shape, largest change first
  std::vector<std::string> remarks;
};

TraceComparison compare_traces(const Timeline& before, const Timeline& after,
                               const std::string& before_file);

}  // namespace traceml
