#include "harness/runner/mark_resolver.h"

#include <limits>

namespace traceml {

MarkResolver::MarkResolver(DeviceClock& clock, const StepRecorder& recorder)
    : clock_(clock),
      recorder_(recorder),
      states_(recorder.border_capacity(), State::kNoMark),
      owner_(recorder.border_capacity(), 0) {
  open_marks_.reserve(recorder.step_capacity());
  times_.reserve(recorder.step_capacity());
}

void MarkResolver::take_up_new_steps() {
  const std::size_t published = recorder_.published_steps();
  for (std::size_t step = times_.size(); step < published; ++step) {
    const StepBorders& borders = recorder_.step(step);
    times_.emplace_back();
    open_marks_.push_back(0);
    for (std::uint32_t i = borders.first; i < borders.first + borders.count; ++i) {
      owner_[i] = static_cast<std::uint32_t>(step);
      if (!recorder_.border(i).mark) continue;
      states_[i] = State::kPending;
      pending_.push_back(i);
      ++open_marks_[step];
    }
    if (open_marks_[step] == 0) settle(step);
  }
}

// A mark in a graph lies before the last mark of its step, which was recorded after the launch.
MarkState MarkResolver::query(std::uint32_t border) noexcept {
  const StepBorders& step = recorder_.step(owner_[border]);
  const std::uint32_t last = step.first + step.count - 1;
  const bool in_graph = !recorder_.border(border).host;
  if (in_graph && states_[last] != State::kReached) {
    if (states_[last] != State::kPending) return MarkState::kFailed;
    const MarkState behind = clock_.query(*recorder_.border(last).mark);
    if (behind != MarkState::kReached) return behind;
  }
  return clock_.query(*recorder_.border(border).mark);
}

bool MarkResolver::pass(Reach reach) {
  constexpr int kFew = 4;
  take_up_new_steps();
  int still_pending = 0;
  const int limit = reach == Reach::kAll ? std::numeric_limits<int>::max() : kFew;
  std::size_t kept = 0;
  std::size_t at = 0;
  for (; at < pending_.size() && still_pending < limit; ++at) {
    const std::uint32_t border = pending_[at];
    const MarkState state = query(border);
    if (state == MarkState::kPending) {
      pending_[kept++] = border;
      ++still_pending;
      continue;
    }
    states_[border] = state == MarkState::kReached ? State::kReached : State::kFailed;
    if (--open_marks_[owner_[border]] == 0) settle(owner_[border]);
  }
  for (; at < pending_.size(); ++at) pending_[kept++] = pending_[at];
  pending_.resize(kept);
  return pending_.empty();
}

void MarkResolver::give_up() {
  take_up_new_steps();
  for (const std::uint32_t border : pending_) {
    states_[border] = State::kUnresolved;
    ++unresolved_;
    if (--open_marks_[owner_[border]] == 0) settle(owner_[border]);
  }
  pending_.clear();
}

void MarkResolver::settle(std::size_t step) {
  const StepBorders& borders = recorder_.step(step);
  PhaseSums sums;
  for_each_span(recorder_, borders, [&](Phase phase, std::uint32_t from, std::uint32_t to) {
    const bool reached = states_[from] == State::kReached && states_[to] == State::kReached;
    sums.add(phase, reached
                        ? clock_.elapsed(*recorder_.border(from).mark, *recorder_.border(to).mark)
                        : std::nullopt);
  });
  times_[step] = sums.times();
  for (std::uint32_t i = borders.first; i < borders.first + borders.count; ++i) {
    if (recorder_.border(i).mark) clock_.recycle(*recorder_.border(i).mark);
  }
}

}  // namespace traceml
