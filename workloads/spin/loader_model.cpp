#include "workloads/spin/loader_model.h"

#include <algorithm>
#include <cmath>

#include "workloads/spin/noise.h"

namespace traceml {
namespace {

constexpr std::size_t kHeldByConsumer = 2;

Nanos scaled(Nanos time, double by) {
  return Nanos{std::llround(static_cast<double>(time.count()) * by)};
}

}  // namespace

void LoaderModel::start(Nanos now, std::int64_t first_batch, std::uint64_t key, std::size_t most) {
  start_ = now;
  first_ = first_batch;
  key_ = key;
  workers_.assign(static_cast<std::size_t>(std::max(costs_.workers, 1)), {now});
  batches_.clear();
  batches_.reserve(most + static_cast<std::size_t>(costs_.read_ahead));
  taken_ = 0;
}

void LoaderModel::make_sample(std::int64_t batch, int row, Nanos* now, InputRecord* record) const {
  const std::int64_t sample = batch * costs_.batch + row;
  const std::int64_t file = sample % kSpinFiles;
  const std::uint64_t key = key_of(key_, static_cast<std::uint64_t>(sample), 0, 0);
  const double by = costs_.noise > 0 ? factor(costs_.noise, normal(key, 1)) : 1;
  const Nanos read = scaled(costs_.read, by);
  const Nanos decode =
      scaled(costs_.decode, by) + (file == kSpinSlowFile ? costs_.slow_file : Nanos{0});
  const Nanos resize = scaled(costs_.resize, by);
  const Nanos cost = read + decode + resize;
  record->begun = std::min(record->begun, *now);
  record->read += read;
  record->decode += decode;
  record->resize += resize;
  if (cost > record->slowest) {
    record->slowest = cost;
    record->slowest_file = "file_" + std::to_string(file) + ".jpg";
  }
  *now += cost;
  record->ready = std::max(record->ready, *now);
}

// Units in order, each to the worker that is free first.
void LoaderModel::make_next_batch(Nanos begin_at_earliest) {
  InputRecord record;
  record.batch = first_ + std::ssize(batches_);
  record.begun = Nanos::max();
  for (int row = 0; row < costs_.batch; row += costs_.unit) {
    Worker& worker = *std::min_element(workers_.begin(), workers_.end(),
                                       [](auto& a, auto& b) { return a.free < b.free; });
    Nanos now = std::max(worker.free, begin_at_earliest);
    if (costs_.workers > 0) record.slot_wait += now - worker.free;
    const int end = std::min(row + costs_.unit, costs_.batch);
    for (int of_unit = row; of_unit < end; ++of_unit) {
      make_sample(record.batch, of_unit, &now, &record);
    }
    worker.free = now;
  }
  record.cpu = record.decode + record.resize;  // reading waits for the disk
  batches_.push_back(std::move(record));
}

// All that may be made before the next take.
void LoaderModel::make_ahead() {
  const auto ahead = static_cast<std::size_t>(costs_.read_ahead);
  while (batches_.size() < taken_ + ahead) {
    const std::size_t next = batches_.size();
    Nanos earliest = start_;
    if (next >= ahead) earliest = std::max(earliest, batches_[next - ahead].taken);
    const std::size_t slots = ahead + kHeldByConsumer;
    if (next >= slots) earliest = std::max(earliest, *batches_[next - slots].released);
    make_next_batch(earliest);
  }
}

std::int64_t LoaderModel::ready_at(Nanos now) {
  if (costs_.workers == 0) return 0;
  make_ahead();
  std::size_t ready = taken_;
  while (ready < batches_.size() && batches_[ready].ready <= now) ++ready;
  return static_cast<std::int64_t>(ready - taken_);
}

InputRecord LoaderModel::take(Nanos asked, Nanos held) {
  std::optional<std::int64_t> depth;
  if (costs_.workers > 0) {
    depth = ready_at(asked);
  } else {
    workers_.front().free = asked;
    make_next_batch(asked);
  }
  InputRecord& record = batches_[taken_++];
  record.queue_depth = depth;
  record.asked = asked;
  record.taken = std::max(asked, record.ready);
  record.released = record.taken + held;
  return record;
}

}  // namespace traceml
