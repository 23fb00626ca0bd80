#pragma once

#include <cstddef>
#include <string_view>

#include "harness/analysis/outcome.h"

namespace traceml {

// From so many ranks on, reports name the extremes instead of every rank.
inline constexpr std::size_t kManyRanks = 8;

constexpr std::string_view clock_name(Clock clock) {
  return clock == Clock::kGpu ? "device clock" : "host clock";
}

}  // namespace traceml
