#include "workloads/gpu_input/gpu_loader.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/gpu_input/hardware_share.h"

namespace traceml {

namespace {

// The training thread runs ahead of the device by some steps, whose batches are still in use.
constexpr int kHeldByConsumer = 4;
constexpr int kMostMiniBatches = 8;

int unit_rows_of(const GpuLoaderOptions& options) {
  return options.unit_rows > 0 ? std::min(options.unit_rows, kMostCrops)
                               : unit_rows(options.batch_size);
}

// Of each unit, the engines' rows and the others.
int parts_of(const GpuLoaderOptions& options) {
  const int rows = unit_rows_of(options);
  return 2 * ((options.batch_size + rows - 1) / rows);
}

// What a step of work on several samples took, shared out evenly among them.
class SharedTime {
 public:
  SharedTime(const StageClock* clock) : clock_(clock) {
    if (clock_ == nullptr) return;
    begun_ = clock_->now();
    cpu_ = clock_->thread_cpu();
  }

  void end(std::span<StageTimes> samples, Nanos StageTimes::*stage) {
    if (clock_ == nullptr || samples.empty()) return;
    const Nanos now = clock_->now();
    const Nanos cpu = clock_->thread_cpu() - cpu_;
    for (StageTimes& sample : samples) {
      sample.*stage += (now - begun_) / std::ssize(samples);
      if (stage != &StageTimes::engine_wait) sample.cpu += cpu / std::ssize(samples);
    }
    samples.back().done = now;
  }

 private:
  const StageClock* clock_;
  Nanos begun_{};
  Nanos cpu_{};
};

std::span<StageTimes> some_of(std::vector<StageTimes>& times, int first, int count) {
  return std::span(times).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

}  // namespace

GpuLoader::GpuLoader(const GpuLoaderOptions& options, const SampleOrder& order,
                     std::shared_ptr<const Dataset> dataset,
                     std::shared_ptr<const NvjpegSession> session)
    : GpuLoaderBase(options, order, std::move(dataset), kHeldByConsumer, unit_rows_of(options),
                    parts_of(options)),
      unit_rows_(unit_rows_of(options)),
      rows_(static_cast<std::size_t>(ring_.slots())) {
  const auto batch = static_cast<std::size_t>(options.batch_size);
  for (Rows& rows : rows_) {
    rows.facts.resize(batch);
    rows.by.resize(batch);
    rows.times.resize(batch);
  }
  if (options.hardware_share > 0) {
    if (session->engines() == 0) {
      throw UsageError(fmt::format(
          "input.hardware_share is {}, but this GPU has no JPEG engines that nvJPEG can use; set "
          "it to auto or 0",
          options.hardware_share));
    }
    const int chosen = std::min(2 * options.workers, kMostMiniBatches);
    engines_ = std::make_unique<HardwarePool>(
        session, options.mini_batches > 0 ? options.mini_batches : chosen, unit_rows_,
        options.waits_for_engines);
  }
  for (int i = 0; i < options.workers; ++i) {
    workers_.push_back(std::make_unique<GpuWorker>(session, dataset_, options.cache, unit_rows_));
  }
  threads_.start(options.workers, options.cores, [this](int i) { work(i); });
}

GpuLoader::~GpuLoader() {
  threads_.end();
  // The training stream may still read a slot.
  static_cast<void>(cudaDeviceSynchronize());
}

void GpuLoader::park() {
  park_workers();
  if (engines_) engines_->finish();
  for (const auto& worker : workers_) check_cuda(cudaStreamSynchronize(worker->stream()));
}

void GpuLoader::work(int index) {
  GpuWorker& worker = *workers_[static_cast<std::size_t>(index)];
  const cudaError_t current = cudaSetDevice(options_.place.gpu);
  Nanos idle_since{};
  while (const std::optional<WorkUnit> unit = ring_.take()) {
    std::vector<StageTimes>& times = rows_of(unit->slot).times;
    const Nanos begun = records_.on() ? options_.clock->now() : Nanos{};
    try {
      check_cuda(current);
      make_unit(worker, *unit);
    } catch (const std::exception& error) {
      fail(*unit, error.what());
    }
    if (records_.on()) {
      const std::span<StageTimes> made = some_of(times, unit->first_row, unit->rows);
      // Between two units a worker waits, but for the way through the ring: for a slot.
      made.front().slot_wait = begun - std::max(idle_since, started_);
      for (const StageTimes& row : made) idle_since = std::max(idle_since, row.done);
    }
    ring_.done(*unit);
  }
}

void GpuLoader::fail(const WorkUnit& unit, const char* problem) {
  RowFacts& facts = rows_of(unit.slot).facts[static_cast<std::size_t>(unit.first_row)];
  facts.problem = problem;
  facts.fatal = true;
}

void GpuLoader::make_unit(GpuWorker& worker, const WorkUnit& unit) {
  Rows& rows = rows_of(unit.slot);
  for (int row = unit.first_row; row < unit.first_row + unit.rows; ++row) {
    rows.facts[static_cast<std::size_t>(row)] = {};
    rows.times[static_cast<std::size_t>(row)] = {};
  }
  CropResizeRequest crops;
  slots_.aim(unit.slot, &crops);
  worker.begin();
  const int hardware =
      engines_ ? hardware_rows(unit.first_row, unit.rows, options_.hardware_share) : 0;
  if (hardware > 0) {
    SharedTime wait(records_.on() ? options_.clock : nullptr);
    const std::unique_ptr<HardwarePool::Loan> loan = engines_->take();
    wait.end(some_of(rows.times, unit.first_row, hardware), &StageTimes::engine_wait);
    HardwareBatch& engines = **loan;
    slots_.aim(unit.slot, &engines.crops);
    for (int row = unit.first_row; row < unit.first_row + hardware; ++row) {
      make_row(worker, unit, row, &engines, &crops);
    }
    queue_engines(worker, unit, hardware, engines, &crops);
  }
  for (int row = unit.first_row + hardware; row < unit.first_row + unit.rows; ++row) {
    make_row(worker, unit, row, nullptr, &crops);
  }
  if (crops.count == 0) return;
  SharedTime time(records_.on() ? options_.clock : nullptr);
  slots_.wait_until_used(unit.slot, worker.stream());
  queue_crop_resize(crops, {reinterpret_cast<std::uintptr_t>(worker.stream())});
  slots_.made(unit.slot, part_of(unit) + 1, worker.stream());
  time.end(some_of(rows.times, unit.first_row + hardware, unit.rows - hardware),
           &StageTimes::resize);
}

// The mini-batch of the unit's first `rows` rows; where nvJPEG refuses it, they are made again
// without the engines.
void GpuLoader::queue_engines(GpuWorker& worker, const WorkUnit& unit, int rows,
                              HardwareBatch& engines, CropResizeRequest* crops) {
  const std::span<StageTimes> times = some_of(rows_of(unit.slot).times, unit.first_row, rows);
  SharedTime hand_over(records_.on() ? options_.clock : nullptr);
  const bool decoded = engines.decode();
  hand_over.end(times, &StageTimes::engine_wait);
  SharedTime time(records_.on() ? options_.clock : nullptr);
  if (decoded && engines.files() > 0) {
    slots_.wait_until_used(unit.slot, engines.stream());
    queue_crop_resize(engines.crops, {reinterpret_cast<std::uintptr_t>(engines.stream())});
    slots_.made(unit.slot, part_of(unit), engines.stream());
  }
  engines.end();
  time.end(times, &StageTimes::decode);
  if (decoded) return;
  for (int row = unit.first_row; row < unit.first_row + rows; ++row) {
    if (rows_of(unit.slot).by[static_cast<std::size_t>(row)] != DecodedBy::kHardware) continue;
    rows_of(unit.slot).facts[static_cast<std::size_t>(row)] = {};
    make_row(worker, unit, row, nullptr, crops);
  }
}

void GpuLoader::make_row(GpuWorker& worker, const WorkUnit& unit, int row, HardwareBatch* engines,
                         CropResizeRequest* crops) {
  Rows& rows = rows_of(unit.slot);
  const auto index = static_cast<std::size_t>(row);
  RowFacts& facts = rows.facts[index];
  StageWatch watch;
  if (records_.on()) watch = {*options_.clock, &rows.times[index]};
  const SampleTries tries{order_, *dataset_, options_.on_error, options_.seed};
  const auto make = [&](std::int64_t sample, Random random) {
    watch.is_of(sample);
    CropImage image;
    image.row = row;
    const GpuSampleFacts made = worker.make(sample, random, image, engines, crops, watch);
    facts.grey = made.grey;
    rows.by[index] = made.by;
  };
  tries.first_made(first_ + unit.batch, row, &facts, make,
                   [&watch] { watch.end(&StageTimes::decode); });
  watch.end_sample();
}

GpuBatch GpuLoader::next() {
  const GpuBatch batch = take();
  Rows& rows = rows_of(batch.slot);
  for (const RowFacts& row : rows.facts) {
    if (!row.fatal) continue;
    const RunError error(row.problem);
    release(batch);
    throw error;
  }
  slots_.wait_until_made(batch.slot, training());
  count(rows);
  delivered(batch, rows.times);
  return batch;
}

void GpuLoader::count(Rows& rows) {
  totals_.add(rows.facts);
  by_hardware_ += std::count(rows.by.begin(), rows.by.end(), DecodedBy::kHardware);
  by_cuda_ += std::count(rows.by.begin(), rows.by.end(), DecodedBy::kCuda);
}

void GpuLoader::release(const GpuBatch& batch) {
  slots_.used(batch.slot, training());
  give_back(batch);
}

std::map<std::string, std::int64_t> GpuLoader::counters() const {
  std::map<std::string, std::int64_t> counters = totals_.counters();
  counters["samples_hardware"] = by_hardware_;
  counters["samples_cuda"] = by_cuda_;
  return counters;
}

}  // namespace traceml
