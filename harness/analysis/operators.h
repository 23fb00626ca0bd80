#pragma once
// Operators of PyTorch's dispatcher: what they took on the host, and the device work launched from
// within them.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/analysis/timeline_selection.h"

namespace traceml {

struct OperatorShape {
  std::string shape;  // of its inputs: "8x3x32x32, 8x3x3x3"
  std::int64_t count = 0;
};

// Self: without what operators inside it took; calls of CUDA and Python are its own. An operator
// inside one of the same name counts once in the totals.
struct OperatorTotal {
  std::string name;
  std::int64_t count = 0;
  Nanos host_self{0}, host_total{0};      // host clock
  Nanos device_self{0}, device_total{0};  // sums of device work, device clock
  std::vector<OperatorShape> shapes;      // most calls first; empty: not recorded
};

// Those that began within the selection's window; most device time of their own first, then host.
std::vector<OperatorTotal> operator_totals(const Timeline& timeline, const Selection& selection);

}  // namespace traceml
