#pragma once

#include <optional>
#include <string_view>

#include "harness/core/units.h"

namespace traceml {

// Microseconds as JSON writes a number, in whole nanoseconds, read from the digits: a double holds
// 1.7e15 us to a quarter of a microsecond only. Below a nanosecond it is cut off. nullopt for what
// is no number or lies beyond 2^61 ns (Unix time reaches that in 2043) or below -2^50 ns.
std::optional<Nanos> trace_time(std::string_view microseconds);

}  // namespace traceml
