#include "harness/backends/cupti/cupti_clock.h"

namespace traceml {

ClockPair read_together(const std::function<std::int64_t()>& other,
                        const std::function<Nanos()>& steady) {
  constexpr int kReads = 16;
  ClockPair closest;
  for (int i = 0; i < kReads; ++i) {
    const Nanos before = steady();
    const std::int64_t read = other();
    const Nanos after = steady();
    const Nanos error = (after - before) / 2;
    if (i > 0 && error >= closest.error) continue;
    closest = {.other = read, .steady = before + error, .error = error};
  }
  return closest;
}

Nanos ClockMap::steady(std::uint64_t other) const {
  const auto since = static_cast<std::int64_t>(other) - begin_.other;
  const std::int64_t span = end_.other - begin_.other;
  const double part = span > 0 ? static_cast<double>(since) / static_cast<double>(span) : 0;
  const auto correction = static_cast<std::int64_t>(part * static_cast<double>(drift().count()));
  return begin_.steady + Nanos{since + correction};
}

}  // namespace traceml
