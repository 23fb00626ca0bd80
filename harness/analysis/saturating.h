#pragma once

#include <cstdint>
#include <limits>

namespace traceml {

// Adds; where the sum leaves 64 bits, which no measured times reach (292 years), it stays at the
// limit.
inline void add_saturating(std::int64_t& sum, std::int64_t value) {
  if (!__builtin_add_overflow(sum, value, &sum)) return;
  sum = value < 0 ? std::numeric_limits<std::int64_t>::min()
                  : std::numeric_limits<std::int64_t>::max();
}

}  // namespace traceml
