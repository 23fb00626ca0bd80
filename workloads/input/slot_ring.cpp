#include "workloads/input/slot_ring.h"

#include <algorithm>

namespace traceml {

SlotRing::SlotRing(int slots, int batch_rows, int unit_rows, int read_ahead)
    : batch_rows_(batch_rows),
      unit_rows_(unit_rows),
      read_ahead_(read_ahead),
      slots_(static_cast<std::size_t>(slots)) {}

bool SlotRing::may_take() const {
  if (!running_ || unit_batch_ >= delivered_ + read_ahead_) return false;
  const Slot& slot = slots_[static_cast<std::size_t>(unit_batch_) % slots_.size()];
  return slot.free || slot.batch == unit_batch_;
}

bool SlotRing::can_take() const {
  const std::lock_guard lock(mutex_);
  return may_take();
}

std::optional<WorkUnit> SlotRing::take() {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [&] { return closed_ || may_take(); });
  if (closed_) return std::nullopt;
  Slot& slot = slot_of(unit_batch_);
  if (unit_row_ == 0) slot = {unit_batch_, batch_rows_, false};
  const int rows = std::min(unit_rows_, batch_rows_ - unit_row_);
  const WorkUnit unit{unit_batch_, static_cast<int>(&slot - slots_.data()), unit_row_, rows};
  unit_row_ += rows;
  if (unit_row_ == batch_rows_) {
    unit_row_ = 0;
    ++unit_batch_;
  }
  ++at_work_;
  return unit;
}

void SlotRing::done(const WorkUnit& unit) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[static_cast<std::size_t>(unit.slot)];
  slot.rows_missing -= unit.rows;
  if (slot.rows_missing == 0 && slot.batch == delivered_) ready_.notify_all();
  if (--at_work_ == 0 && !running_) idle_.notify_all();
}

std::optional<int> SlotRing::next() {
  std::unique_lock lock(mutex_);
  const auto complete = [&] {
    const Slot& slot = slot_of(delivered_);
    return !slot.free && slot.batch == delivered_ && slot.rows_missing == 0;
  };
  ready_.wait(lock, [&] { return closed_ || !running_ || complete(); });
  if (closed_ || !running_) return std::nullopt;
  const int slot = static_cast<int>(&slot_of(delivered_) - slots_.data());
  ++delivered_;
  work_.notify_all();
  return slot;
}

void SlotRing::release(int slot) {
  const std::lock_guard lock(mutex_);
  slots_[static_cast<std::size_t>(slot)].free = true;
  work_.notify_all();
}

std::int64_t SlotRing::ready() const {
  const std::lock_guard lock(mutex_);
  std::int64_t count = 0;
  while (running_ && count < static_cast<std::int64_t>(slots_.size())) {
    const std::int64_t batch = delivered_ + count;
    const Slot& slot = slots_[static_cast<std::size_t>(batch) % slots_.size()];
    if (slot.free || slot.batch != batch || slot.rows_missing != 0) break;
    ++count;
  }
  return count;
}

void SlotRing::start() {
  const std::lock_guard lock(mutex_);
  for (Slot& slot : slots_) slot = {};
  unit_batch_ = 0;
  unit_row_ = 0;
  delivered_ = 0;
  running_ = true;
  work_.notify_all();
}

void SlotRing::park() {
  std::unique_lock lock(mutex_);
  running_ = false;
  ready_.notify_all();
  idle_.wait(lock, [&] { return at_work_ == 0; });
}

void SlotRing::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  work_.notify_all();
  ready_.notify_all();
}

}  // namespace traceml
