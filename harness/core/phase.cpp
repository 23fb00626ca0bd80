#include "harness/core/phase.h"

namespace traceml {
namespace {

constexpr std::array<std::string_view, kPhaseCount> kNames = {"input_wait", "decode",    "h2d",
                                                              "normalize",  "forward",   "loss",
                                                              "backward",   "optimizer", "traced"};

}  // namespace

std::string_view name_of(Phase phase) {
  return kNames[index_of(phase)];
}

std::optional<Phase> phase_named(std::string_view name) {
  for (const Phase phase : kAllPhases) {
    if (name_of(phase) == name) return phase;
  }
  return std::nullopt;
}

}  // namespace traceml
