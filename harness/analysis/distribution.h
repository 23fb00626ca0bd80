#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/core/units.h"

namespace traceml {

// Of per-step or per-window times. The mean decides; the rest is shown.
struct Distribution {
  std::int64_t count = 0;
  Millis mean{}, median{}, p5{}, p95{}, p99{}, min{}, max{};
};

// Of times in ms; percentiles interpolate linearly between order statistics. nullopt without
// values.
std::optional<Distribution> distribution_of(std::vector<double> values_ms);

// Tukey's: [q1 - 3 IQR, q3 + 3 IQR].
struct Fences {
  double lower = 0;
  double upper = 0;
};

// Null for fewer than four values.
std::optional<Fences> fences_of(std::vector<double> values);

// Values outside their fences. Fewer than four values have no outliers.
std::int64_t count_outliers(const std::vector<double>& values);

}  // namespace traceml
