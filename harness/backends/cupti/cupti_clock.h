#pragma once
// From CUPTI's timestamps to the host's steady clock. No timestamp callback is registered: that
// must come before the first CUDA call, and each further one corrupts records (PyTorch issue
// 192021). Both clocks are read together where a collection begins and ends instead.

#include <algorithm>
#include <cstdint>
#include <functional>

#include "harness/core/units.h"

namespace traceml {

struct ClockPair {
  std::int64_t other = 0;
  Nanos steady{0};
  Nanos error{0};  // half of the time between the two reads of the steady clock
};

// The closest of some reads.
ClockPair read_together(const std::function<std::int64_t()>& other,
                        const std::function<Nanos()>& steady);

// Linear between two pairs.
class ClockMap {
 public:
  ClockMap(const ClockPair& begin, const ClockPair& end) : begin_(begin), end_(end) {}

  Nanos steady(std::uint64_t other) const;
  // How far the clocks ran apart.
  Nanos drift() const { return (end_.steady - begin_.steady) - Nanos{end_.other - begin_.other}; }
  Nanos error() const { return std::max(begin_.error, end_.error); }

 private:
  ClockPair begin_, end_;
};

}  // namespace traceml
