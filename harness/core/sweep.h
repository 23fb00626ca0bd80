#pragma once
// What the analysis must know of a sweep: several settings of one arm, of which the cheapest is
// sought that is as fast as the best (docs/statistics.md, 2.13).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ids.h"

namespace traceml {

// A setting is an arm of its own.
struct SweepSetting {
  ArmIndex arm;
  std::vector<std::string> values;  // by SweepSpec::keys, canonical
  int loader_threads = 0;           // of each rank
  std::int64_t loader_bytes = 0;    // host memory of the loader of each rank
  int cost_rank = 0;                // 0: the cheapest; no two settings share one
};

struct SweepSpec {
  std::string arm;                // that is swept
  std::vector<std::string> keys;  // "input.workers": what its settings set, as written
  std::vector<SweepSetting> settings;
  double delta = 0.01;                       // slower than the best by this is worse
  std::optional<ArmIndex> common_reference;  // null: the swept arm is input-free itself
};

// The first blocks of a run choose the best setting and judge nothing: two whole pairs of blocks,
// so that order cancels, and as many as leave the second look the six pairs that it needs.
inline constexpr int kChoosingBlocks = 4;

}  // namespace traceml
