#include "workloads/input/pin_copy_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "harness/plan/loader_memory.h"

namespace traceml {

PinCopySource::PinCopySource(std::unique_ptr<BatchSource> loader, const StageClock* clock)
    : loader_(std::move(loader)), clock_(*clock) {
  const std::vector<std::span<std::byte>> regions = loader_->memory();
  image_bytes_ = regions.at(0).size();
  for (int i = 0; i < kPinnedBatches; ++i) {
    slots_.push_back({allocate_images(image_bytes_),
                      std::vector<std::int64_t>(regions.at(1).size() / sizeof(std::int64_t)),
                      true});
  }
  finished_.reserve(slots_.size());
}

PinCopySource::~PinCopySource() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PinCopySource::start(std::int64_t first) {
  loader_->start(first);
  taken_.clear();
  taken_.reserve(most_records_);
  stopping_ = false;
  thread_ = std::thread([this] { run(); });
}

void PinCopySource::run() {
  try {
    while (const std::optional<int> slot = wait_for_a_slot()) {
      const HostBatch batch = loader_->next();
      const HostBatch copy = copied(batch, *slot);
      loader_->release(batch);
      const std::lock_guard lock(mutex_);
      finished_.push_back(copy);
      ++copies_;
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    fault_ = std::current_exception();
    changed_.notify_all();
  }
}

// Takes it; nullopt: the thread shall end.
std::optional<int> PinCopySource::wait_for_a_slot() {
  const auto is_free = [](const Slot& slot) { return slot.free; };
  std::unique_lock lock(mutex_);
  auto found = slots_.end();
  changed_.wait(lock, [&] {
    found = std::find_if(slots_.begin(), slots_.end(), is_free);
    return stopping_ || found != slots_.end();
  });
  if (stopping_) return std::nullopt;
  found->free = false;
  return static_cast<int>(found - slots_.begin());
}

HostBatch PinCopySource::copied(const HostBatch& batch, int slot) {
  Slot& own = slots_[static_cast<std::size_t>(slot)];
  std::memcpy(own.images.get(), batch.images, image_bytes_);
  std::copy_n(batch.labels, batch.count, own.labels.begin());
  return {own.images.get(), own.labels.data(), batch.count, batch.sequence, slot};
}

HostBatch PinCopySource::next() {
  const bool recorded = taken_.size() < most_records_;
  Taken taken;
  if (recorded) taken = {clock_.now(), {}, ready()};
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !finished_.empty() || fault_; });
  if (finished_.empty()) std::rethrow_exception(fault_);
  const HostBatch batch = finished_.front();
  finished_.erase(finished_.begin());
  lock.unlock();
  if (recorded) {
    taken.taken = clock_.now();
    taken_.push_back(taken);
  }
  return batch;
}

void PinCopySource::release(const HostBatch& batch) {
  const std::lock_guard lock(mutex_);
  slots_[static_cast<std::size_t>(batch.slot)].free = true;
  changed_.notify_all();
}

std::optional<std::int64_t> PinCopySource::ready() const {
  const std::lock_guard lock(mutex_);
  return std::ssize(finished_) + loader_->ready().value_or(0);
}

// The thread may still wait for the batch that it asked for; its loader is parked after that.
void PinCopySource::park() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  for (Slot& slot : slots_) slot.free = true;
  finished_.clear();
  fault_ = nullptr;
  loader_->park();
}

void PinCopySource::record(std::size_t most) {
  most_records_ = most;
  loader_->record(most);
}

std::vector<InputRecord> PinCopySource::records() {
  std::vector<InputRecord> records = loader_->records();
  if (records.size() > taken_.size()) records.resize(taken_.size());  // the rest was not delivered
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].asked = taken_[i].asked;
    records[i].taken = taken_[i].taken;
    records[i].queue_depth = taken_[i].queue_depth;
  }
  return records;
}

std::vector<std::span<std::byte>> PinCopySource::memory() {
  std::vector<std::span<std::byte>> regions;
  for (Slot& slot : slots_) {
    regions.emplace_back(slot.images.get(), image_bytes_);
    regions.push_back(std::as_writable_bytes(std::span(slot.labels)));
  }
  return regions;
}

std::map<std::string, std::int64_t> PinCopySource::counters() const {
  std::map<std::string, std::int64_t> counters = loader_->counters();
  const std::lock_guard lock(mutex_);
  counters["batches_copied_to_pinned"] = copies_;
  return counters;
}

std::string PinCopySource::threads() const {
  return loader_->threads() + "; one more copies batches into page-locked memory";
}

}  // namespace traceml
