#pragma once
// Strong integers: a rank is never a step, an arm never a window.

#include <compare>
#include <cstdint>

namespace traceml {

struct Rank {
  int value = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

// Position of an arm in CampaignFacts::arms.
struct ArmIndex {
  int value = 0;
  friend auto operator<=>(const ArmIndex&, const ArmIndex&) = default;
};

// Position of a window in the order in which the run executes them, over all arms.
struct WindowIndex {
  std::int64_t value = 0;
  friend auto operator<=>(const WindowIndex&, const WindowIndex&) = default;
};

// Position of a step in its window: settle steps first (negative steps do not exist), then timed
// ones.
struct StepIndex {
  std::int64_t value = 0;
  friend auto operator<=>(const StepIndex&, const StepIndex&) = default;
};

}  // namespace traceml
