#pragma once
// How long a collective takes for buckets of rising size, and whether what it gives is right.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/units.h"
#include "harness/ports/collective.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/transport.h"

namespace traceml {

// The memory of one bucket of floats, where a collective wants it.
class SweepMemory {
 public:
  virtual ~SweepMemory() = default;
  virtual DeviceQueue queue() const = 0;
  virtual void* data() = 0;
  // Complete in queue() and on the host when they return.
  virtual void write(const std::vector<float>& values) = 0;
  virtual void read(std::vector<float>* values) = 0;  // as many as it holds
  // Blocks until queue() has done its work.
  virtual void finish() = 0;
};

std::unique_ptr<SweepMemory> make_host_sweep_memory(std::int64_t max_bytes);

struct SweepRow {
  std::int64_t bytes = 0;
  // From a barrier to the completion of one all-reduce: host clock, the largest over ranks, median
  // of the repetitions.
  Nanos time{};
  std::int64_t wrong = 0;  // elements that are not the mean, over all ranks
};

// From `least` to `most` bytes by factors of 4.
std::vector<std::int64_t> sweep_sizes(std::int64_t least, std::int64_t most);

inline constexpr int kSweepWarmUps = 3;
inline constexpr int kSweepRepetitions = 21;  // odd: a median that was measured

// Collective. Rank 0 gets one row a size, the others none. A value is checked against the mean of
// what the ranks put in, to 1 part in 100,000.
std::vector<SweepRow> sweep_all_reduce(Transport& transport, Collective& collective,
                                       HostClock& clock, SweepMemory& memory,
                                       const std::vector<std::int64_t>& sizes);

}  // namespace traceml
