#pragma once
// The phases of a training step, as the two-clock contract names them (docs/clocks.md).

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace traceml {

// kTraced is the envelope from the end of kInputWait to the end of kOptimizer; it is no part of the
// phase sum.
enum class Phase : unsigned char {
  kInputWait,
  kDecode,
  kH2d,
  kNormalize,
  kForward,
  kLoss,
  kBackward,
  kOptimizer,
  kTraced,
};

inline constexpr std::size_t kPhaseCount = 9;

inline constexpr std::array<Phase, kPhaseCount> kAllPhases = {
    Phase::kInputWait, Phase::kDecode,   Phase::kH2d,       Phase::kNormalize, Phase::kForward,
    Phase::kLoss,      Phase::kBackward, Phase::kOptimizer, Phase::kTraced};

constexpr std::size_t index_of(Phase phase) {
  return static_cast<std::size_t>(phase);
}

// "input_wait", "decode", "h2d", ...: the names of files, configs and reports.
std::string_view name_of(Phase phase);

// nullopt for a name that is no phase.
std::optional<Phase> phase_named(std::string_view name);

}  // namespace traceml
