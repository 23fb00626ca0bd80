#include "harness/runner/position.h"

#include <fmt/format.h>

namespace traceml {
namespace {

std::string stage_text(const PositionView& view) {
  switch (view.stage) {
    case Stage::kStart:
      return ", start of the run";
    case Stage::kPrepare:
      return ", preparation";
    case Stage::kBegin:
      return ", before the first step";
    case Stage::kStep:
      return fmt::format(
          ", step {}, {}", view.step,
          view.phase ? fmt::format("phase {}", name_of(*view.phase)) : "outside any marked phase");
    case Stage::kFinish:
      return ", completion of the steps";
    case Stage::kBarrier:
      return view.waiting ? "" : ", between steps";
    case Stage::kEnd:
      return ", after the last step";
    case Stage::kStore:
      return ", writing of raw files";
    case Stage::kConclude:
      return ", gathering of the results";
    case Stage::kReport:
      return ", writing of the reports";
  }
  return "";
}

}  // namespace

PositionView Position::view() const noexcept {
  PositionView view;
  view.stage = stage_.load(std::memory_order_relaxed);
  view.step = get(step_);
  view.entries = get(entries_);
  view.waiting = get(waiting_) != 0;
  view.meetings = get(meetings_);
  view.windows = get(windows_);
  const int phase = phase_.load(std::memory_order_relaxed);
  if (phase > 0) view.phase = static_cast<Phase>(phase - 1);
  const std::int64_t arm = get(arm_);
  if (arm > 0) view.arm = ArmIndex{static_cast<int>(arm - 1)};
  const std::int64_t window = get(window_);
  if (window > 0) view.window = WindowIndex{window - 1};
  return view;
}

std::string describe(Rank rank, const PositionView& view,
                     const std::vector<std::string>& arm_names) {
  std::string text = fmt::format("rank {}", rank.value);
  // Another rank may be read in the middle of a change.
  const auto arm = static_cast<std::size_t>(view.arm ? view.arm->value : 0);
  if (view.arm && arm < arm_names.size()) {
    text += fmt::format(", arm {}", arm_names[arm]);
    if (view.window) {
      text += fmt::format(", window {}", view.window->value);
    } else if (!is_slow(view.stage)) {
      text += ", warm-up";
    }
  }
  text += stage_text(view);
  if (view.waiting) text += ", waiting for the other ranks";
  return text;
}

}  // namespace traceml
