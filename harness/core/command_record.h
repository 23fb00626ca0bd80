#pragma once
// What one launch of an arm that is a command left, as it lies in raw/: nothing here is derived.

#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/ids.h"
#include "harness/core/units.h"

namespace traceml {

struct CommandRecord {
  std::int64_t launch = 0;  // in the order of starting, warm-up included
  ArmIndex arm;
  std::optional<int> block;  // nullopt: warm-up. A block that replaces a void one has its number
  int order = 0;             // position in its block, 0 = first
  int exit_code = 0;
  int signal = 0;  // that ended it; 0: none
  bool timed_out = false;
  Nanos wall{};                 // from start to end of the process
  std::optional<double> value;  // as found, be it zero or NaN; null: none was found
  std::string unit;             // of the value: "ms"
  std::string void_reason;      // empty: valid. Set by how the launch ended, never by its value
  friend bool operator==(const CommandRecord&, const CommandRecord&) = default;
};

}  // namespace traceml
