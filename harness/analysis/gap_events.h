#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/analysis/idle_gaps.h"

namespace traceml {

// One kind of host event held against the long gaps of a device: did gaps come with it, and did it
// come without them? A kind with as many misses as hits did not make the gaps.
struct GapEvents {
  std::string kind;         // "synchronising calls"
  std::int64_t events = 0;  // within the device's span, on all threads
  std::int64_t hits = 0;    // of them: overlap a long gap before the call that ended it
  std::int64_t gaps = 0;    // long gaps that one of them overlaps

  std::int64_t misses() const { return events - hits; }
};

// `gaps` by time. `span`: of the device. Kinds of which there is no event are left out.
std::vector<GapEvents> events_against_gaps(const Timeline& timeline, const std::vector<Gap>& gaps,
                                           TimeRange span);

}  // namespace traceml
