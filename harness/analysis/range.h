#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace traceml {

struct Interval {
  double lower = 0;
  double upper = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct Range {
  double min = 0, mean = 0, max = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// Collects values into a range; nulls count for nothing.
class RangeOf {
 public:
  void add(double value) {
    range_.min = count_ == 0 ? value : std::min(range_.min, value);
    range_.max = count_ == 0 ? value : std::max(range_.max, value);
    sum_ += value;
    ++count_;
  }

  template <typename Value>
  void add(const std::optional<Value>& value) {
    if (value) add(static_cast<double>(*value));
  }

  // Null without a value.
  std::optional<Range> range() const {
    if (count_ == 0) return std::nullopt;
    return Range{range_.min, sum_ / static_cast<double>(count_), range_.max};
  }

 private:
  Range range_;
  double sum_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace traceml
