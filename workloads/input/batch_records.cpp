#include "workloads/input/batch_records.h"

#include <algorithm>
#include <utility>

namespace traceml {

void BatchRecords::start(std::size_t most, int slots, bool engines) {
  records_.assign(most, {});
  slowest_.assign(most, 0);
  out_.assign(static_cast<std::size_t>(slots), nullptr);
  count_ = 0;
  engines_ = engines;
}

void BatchRecords::take(const HostBatch& batch, Nanos asked, Nanos now,
                        std::optional<std::int64_t> depth, std::span<const StageTimes> samples) {
  if (count_ == records_.size()) return;
  InputRecord& record = records_[count_];
  record.step = StepIndex{static_cast<std::int64_t>(count_)};
  record.batch = batch.sequence;
  record.begun = samples.front().begun;
  record.asked = asked;
  record.taken = now;
  record.queue_depth = depth;
  Nanos cpu{};
  Nanos engine_wait{};
  for (const StageTimes& sample : samples) {
    record.begun = std::min(record.begun, sample.begun);
    record.ready = std::max(record.ready, sample.done);
    record.read += sample.read;
    record.decode += sample.decode;
    record.resize += sample.resize;
    record.slot_wait += sample.slot_wait;
    cpu += sample.cpu;
    engine_wait += sample.engine_wait;
    if (sample.cost() <= record.slowest) continue;
    record.slowest = sample.cost();
    slowest_[count_] = sample.sample;
  }
  record.cpu = cpu;
  if (engines_) record.engine_wait = engine_wait;
  out_[static_cast<std::size_t>(batch.slot)] = &record;
  ++count_;
}

void BatchRecords::release(int slot, Nanos now) {
  InputRecord* const record = std::exchange(out_[static_cast<std::size_t>(slot)], nullptr);
  if (record != nullptr) record->released = now;
}

std::vector<InputRecord> BatchRecords::taken(const Dataset& dataset) {
  std::vector<InputRecord> taken(records_.begin(),
                                 records_.begin() + static_cast<std::ptrdiff_t>(count_));
  for (std::size_t i = 0; i < count_; ++i) {
    taken[i].slowest_file = dataset.samples[static_cast<std::size_t>(slowest_[i])].path;
  }
  return taken;
}

}  // namespace traceml
