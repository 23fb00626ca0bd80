#pragma once

#include <optional>
#include <vector>

#include "harness/analysis/summary.h"

namespace traceml {

// Of times in ms; percentiles interpolate linearly between order statistics. nullopt without
// values.
std::optional<Distribution> distribution_of(std::vector<double> values_ms);

// Values outside [q1 - 3 IQR, q3 + 3 IQR]. Fewer than four values have no outliers.
std::int64_t count_outliers(std::vector<double> values);

}  // namespace traceml
