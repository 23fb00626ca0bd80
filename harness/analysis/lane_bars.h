#pragma once
// What a thread or a stream did, as bars to be drawn.

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analysis/time_ranges.h"

namespace traceml {

enum class BarKind : std::uint8_t {
  // of a stream
  kKernel,
  kCommunication,
  kCopy,  // copies and memsets
  // of a thread: by its innermost span
  kInput,     // anywhere inside a range or frame of the loader
  kCall,      // of CUDA
  kOperator,  // of PyTorch
  kRange,     // an annotation with nothing inside
  kPython,
  kProfiler
};
inline constexpr std::size_t kBarKinds = 9;

// "copy".
const char* name_of(BarKind kind);

struct LaneBar {
  TimeRange when;  // from the begin of the step's window, and within it
  BarKind kind = BarKind::kKernel;
  std::optional<std::uint32_t> name;  // position in TraceLanes::names; null of merged events
  std::int64_t events = 1;            // more: merged ones of one kind
  Nanos busy{0};                      // what they took, sum

  friend bool operator==(const LaneBar&, const LaneBar&) = default;
};

// The longest bars as they are, at most `longest`; the rest merged where they are of one kind and
// less than `nearness` apart; by start. `bars`: by start.
std::vector<LaneBar> thinned(std::vector<LaneBar> bars, std::size_t longest, Nanos nearness);

}  // namespace traceml
