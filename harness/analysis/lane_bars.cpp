#include "harness/analysis/lane_bars.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace traceml {

const char* name_of(BarKind kind) {
  constexpr std::array<const char*, kBarKinds> kNames = {
      "kernel",   "communication", "copy",         "waiting for input", "CUDA call",
      "operator", "range",         "Python frame", "profiler"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<LaneBar> thinned(std::vector<LaneBar> bars, std::size_t longest, Nanos nearness) {
  if (bars.size() <= longest) return bars;
  // Of bars that are as long as the first that does not fit none stays: which of them would be
  // chance.
  std::vector<Nanos> lengths;
  for (const LaneBar& bar : bars) lengths.push_back(bar.busy);
  const auto border = lengths.begin() + std::ptrdiff_t(longest);
  std::nth_element(lengths.begin(), border, lengths.end(), std::greater<>());
  std::vector<LaneBar> kept;
  std::array<std::optional<std::size_t>, kBarKinds> open;  // in `kept`: the last merged of a kind
  for (LaneBar& bar : bars) {
    auto& last = open[static_cast<std::size_t>(bar.kind)];
    if (bar.busy > *border) {
      kept.push_back(std::move(bar));
    } else if (last && bar.when.begin - kept[*last].when.end < nearness) {
      LaneBar& merged = kept[*last];
      merged.when.end = std::max(merged.when.end, bar.when.end);
      merged.name.reset();
      merged.events += bar.events;
      merged.busy += bar.busy;
    } else {
      last = kept.size();
      kept.push_back(std::move(bar));
    }
  }
  return kept;
}

}  // namespace traceml
