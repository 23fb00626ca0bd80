#include "workloads/input/batch_loader.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/input/random.h"
#include "workloads/input/sample_tries.h"

namespace traceml {

namespace {

constexpr int kHeldByConsumer = 2;

int read_ahead(const LoaderOptions& options) {
  if (options.workers == 0) return 1;
  return options.scheduling == Scheduling::kPerSample ? options.prefetch
                                                      : options.prefetch * options.workers;
}

const LoaderOptions& checked(const LoaderOptions& options) {
  if (options.workers > 0 && options.prefetch < 1) {
    throw UsageError(fmt::format(
        "input.prefetch is {}, but {} workers need at least 1 batch to work on; set input.prefetch "
        "to 1 or more, or input.workers to 0",
        options.prefetch, options.workers));
  }
  return options;
}

}  // namespace

BatchLoader::BatchLoader(const LoaderOptions& options, const SampleOrder& order,
                         std::shared_ptr<const Dataset> dataset)
    : options_(checked(options)),
      order_(order),
      dataset_(std::move(dataset)),
      row_bytes_(bytes_per_sample(options.image_size, options.dtype)),
      ring_(read_ahead(options) + kHeldByConsumer, options.batch_size,
            options.workers > 0 && options.scheduling == Scheduling::kPerSample
                ? 1
                : options.batch_size,
            read_ahead(options)),
      slots_(static_cast<std::size_t>(ring_.slots())) {
  const auto rows = static_cast<std::size_t>(options.batch_size);
  for (Slot& slot : slots_) {
    slot.images = allocate_images(rows * row_bytes_);
    slot.labels.resize(rows);
    slot.rows.resize(rows);
    slot.times.resize(rows);
  }
  for (int i = 0; i < std::max(options.workers, 1); ++i) {
    pipelines_.push_back(std::make_unique<SamplePipeline>(
        dataset_, options.image_size, options.dtype, options.cache, options.scaled_decode));
  }
  threads_.start(options.workers, options.cores,
                 [this](int i) { work(*pipelines_[static_cast<std::size_t>(i)]); });
}

BatchLoader::~BatchLoader() {
  threads_.end();
}

void BatchLoader::start(std::int64_t first) {
  ring_.park();
  first_ = first;
  delivered_ = 0;
  parked_ = false;
  records_.start(most_records_, ring_.slots());
  if (records_.on()) started_ = options_.clock->now();
  ring_.start();
}

void BatchLoader::park() {
  parked_ = true;
  ring_.park();
}

void BatchLoader::work(SamplePipeline& pipeline) {
  Nanos idle_since{};
  while (const std::optional<WorkUnit> unit = ring_.take()) {
    fill(pipeline, *unit);
    if (records_.on()) {
      // Between two units a worker waits, but for the way through the ring: for a slot.
      std::vector<StageTimes>& times = slots_[static_cast<std::size_t>(unit->slot)].times;
      StageTimes& first = times[static_cast<std::size_t>(unit->first_row)];
      first.slot_wait = first.begun - std::max(idle_since, started_);
      idle_since = times[static_cast<std::size_t>(unit->first_row + unit->rows - 1)].done;
    }
    ring_.done(*unit);
  }
}

void BatchLoader::fill(SamplePipeline& pipeline, const WorkUnit& unit) {
  Slot& slot = slots_[static_cast<std::size_t>(unit.slot)];
  for (int row = unit.first_row; row < unit.first_row + unit.rows; ++row) {
    RowFacts& facts = slot.rows[static_cast<std::size_t>(row)];
    facts = {};
    StageWatch watch = watch_row(slot.times[static_cast<std::size_t>(row)]);
    try {
      make_row(pipeline, first_ + unit.batch, row, slot, watch);
    } catch (const std::exception& error) {
      facts.problem = error.what();
      facts.fatal = true;
    }
    watch.end_sample();
  }
}

StageWatch BatchLoader::watch_row(StageTimes& times) const {
  if (!records_.on()) return {};
  times = {};
  return {*options_.clock, &times};
}

void BatchLoader::make_row(SamplePipeline& pipeline, std::int64_t batch, int row, Slot& slot,
                           StageWatch& watch) {
  const auto index = static_cast<std::size_t>(row);
  RowFacts& facts = slot.rows[index];
  const SampleTries tries{order_, *dataset_, options_.on_error, options_.seed};
  const auto make = [&](std::int64_t sample, Random random) {
    watch.is_of(sample);
    const SampleFacts made =
        pipeline.make(sample, random, slot.images.get() + index * row_bytes_, watch);
    facts.grey = made.grey;
    facts.scaled = made.scaled;
  };
  slot.labels[index] =
      tries.first_made(batch, row, &facts, make, [&watch] { watch.end(&StageTimes::decode); });
}

HostBatch BatchLoader::next() {
  if (parked_) throw RunError("a parked loader was asked for a batch; start it before");
  const bool recorded = records_.on();
  const std::optional<std::int64_t> depth = recorded ? ready() : std::nullopt;
  const Nanos asked = recorded ? options_.clock->now() : Nanos{};
  if (threads_.empty()) {
    if (!ring_.can_take()) {
      throw RunError("every slot of the loader is held; release a batch before the next one");
    }
    const WorkUnit unit = ring_.take().value();
    fill(*pipelines_.front(), unit);
    ring_.done(unit);
  }
  const std::optional<int> index = ring_.next();
  if (!index) throw RunError("the loader was parked while a batch was waited for");
  Slot& slot = slots_[static_cast<std::size_t>(*index)];
  const HostBatch batch{slot.images.get(), slot.labels.data(), options_.batch_size,
                        first_ + delivered_++, *index};
  for (const RowFacts& row : slot.rows) {
    if (!row.fatal) continue;
    const RunError error(row.problem);
    release(batch);
    throw error;
  }
  totals_.add(slot.rows);
  if (recorded) records_.take(batch, asked, options_.clock->now(), depth, slot.times);
  return batch;
}

void BatchLoader::release(const HostBatch& batch) {
  if (records_.on()) records_.release(batch.slot, options_.clock->now());
  ring_.release(batch.slot);
}

std::optional<std::int64_t> BatchLoader::ready() const {
  if (threads_.empty()) return std::nullopt;
  return ring_.ready();
}

std::vector<InputRecord> BatchLoader::records() {
  return records_.taken(*dataset_);
}

std::vector<std::span<std::byte>> BatchLoader::memory() {
  std::vector<std::span<std::byte>> regions;
  for (Slot& slot : slots_) {
    regions.emplace_back(slot.images.get(), slot.rows.size() * row_bytes_);
    regions.push_back(std::as_writable_bytes(std::span(slot.labels)));
  }
  return regions;
}

std::map<std::string, std::int64_t> BatchLoader::counters() const {
  return totals_.counters();
}

std::vector<std::string> BatchLoader::replaced_files() const {
  return totals_.replaced_files();
}

}  // namespace traceml
