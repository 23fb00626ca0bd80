#include "harness/runner/look_records.h"

#include "harness/runner/wire.h"

namespace traceml {
namespace {

template <class Item>
void append(const std::vector<Item>& more, std::vector<Item>& all) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void LookRecords::add(const WindowRecord& window, const std::vector<StepRecord>& steps) {
  unsent_windows_.push_back(window);
  append(step_times_of(steps), unsent_steps_);
}

void LookRecords::gather(Transport& transport) {
  const auto windows = transport.gather(encode_windows(unsent_windows_));
  const auto steps = transport.gather(encode_step_times(unsent_steps_));
  unsent_windows_.clear();
  unsent_steps_.clear();
  windows_.resize(windows.size());
  steps_.resize(windows.size());
  for (std::size_t rank = 0; rank < windows.size(); ++rank) {
    windows_[rank].rank = Rank{static_cast<int>(rank)};
    append(decode_windows(windows[rank]), windows_[rank].windows);
    append(decode_step_times(steps[rank]), steps_[rank]);
  }
}

}  // namespace traceml
