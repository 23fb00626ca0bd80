#include "harness/runner/position.h"

#include <fmt/format.h>

namespace traceml {

PositionView Position::view() const noexcept {
  PositionView view;
  view.stage = stage_.load(std::memory_order_relaxed);
  view.step = step_.load(std::memory_order_relaxed);
  view.entries = entries_.load(std::memory_order_relaxed);
  const int arm = arm_.load(std::memory_order_relaxed);
  if (arm != kNone) view.arm = ArmIndex{arm};
  const std::int64_t window = window_.load(std::memory_order_relaxed);
  if (window != kNone) view.window = WindowIndex{window};
  return view;
}

std::string describe(Rank rank, const PositionView& view, std::optional<Phase> phase,
                     const std::vector<std::string>& arm_names) {
  std::string text = fmt::format("rank {}", rank.value);
  if (!view.arm) return text;
  text += fmt::format(", arm {}", arm_names.at(static_cast<std::size_t>(view.arm->value)));
  if (view.window) {
    text += fmt::format(", window {}", view.window->value);
  } else if (view.stage != Stage::kUnwatched) {
    text += ", warm-up";
  }
  switch (view.stage) {
    case Stage::kUnwatched:
      break;
    case Stage::kBegin:
      text += ", before the first step";
      break;
    case Stage::kStep:
      text += fmt::format(", step {}", view.step);
      text += phase ? fmt::format(", phase {}", name_of(*phase)) : ", outside any marked phase";
      break;
    case Stage::kFinish:
      text += ", completion of the steps";
      break;
    case Stage::kBarrier:
      text += ", waiting for the other ranks";
      break;
    case Stage::kEnd:
      text += ", after the last step";
      break;
  }
  return text;
}

}  // namespace traceml
