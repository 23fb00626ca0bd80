#pragma once
// What the allocators held, from the profiler's records of memory (profile_memory=True).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/timeline_selection.h"

namespace traceml {

struct PhasePeak {
  std::string phase;  // empty: outside every range
  std::int64_t allocated_bytes = 0;
};

struct MemoryUse {
  std::string memory;        // "host", or the id of a device
  std::int64_t records = 0;  // in the selection's window
  std::int64_t peak_allocated_bytes = 0;
  std::optional<std::int64_t> peak_reserved_bytes;  // null: no record tells
  std::vector<PhasePeak> phases;                    // highest first
  std::vector<std::int64_t> step_end_bytes;  // allocated as each step ended; from the first record
  std::int64_t rises = 0;                    // steps that ended higher than the one before
  std::optional<double> bytes_per_step;      // median change from one end to the next

  // By the rules of timeline_rules.h.
  bool grows() const;
};

std::vector<MemoryUse> memory_use(const Timeline& timeline, const Selection& selection);

}  // namespace traceml
