#pragma once
// Durations with their unit in the type. Time points of the host are Nanos of
// std::chrono::steady_clock.

#include <chrono>
#include <cstdint>

namespace traceml {

using Nanos = std::chrono::nanoseconds;
using Millis = std::chrono::duration<double, std::milli>;
using Seconds = std::chrono::duration<double>;

}  // namespace traceml
