#pragma once
// How far a trace is to be believed, before any number of it is.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/device_time.h"

namespace traceml {

enum class IdleTrust {
  kNumber,  // idle is what it says
  kRange,   // what was lost lets it lie in a range
  kRefused  // it would be no measurement
};
std::string_view name_of(IdleTrust trust);

struct TimelineTrust {
  IdleTrust idle = IdleTrust::kNumber;
  std::vector<std::string> remarks;  // sentences; the first says why where idle is no number
  std::int64_t device_work = 0;      // events, over all devices and selections
  std::int64_t without_launch = 0;   // of them
  std::int64_t launches = 0;         // kernel launch calls
  std::int64_t launches_without_work = 0;
  bool causes = true;    // false: too few launches are recorded to say what held the device
  bool at_most = false;  // device work was lost: with it idle would be less
  // How far a gap's length may be off, where decimals were lost: 2 us a gap with whole
  // microseconds.
  Nanos per_gap{0};

  double launch_coverage() const;  // of device work; 1 where there is none
};

TimelineTrust judge_trust(const Timeline& timeline);

// Idle of a device as a range: least and most.
TimeRange idle_range(const TimelineTrust& trust, const DeviceTime& time);

}  // namespace traceml
