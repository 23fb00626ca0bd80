#include "workloads/gpu_input/gpu_loader_base.h"

#include <optional>
#include <utility>

#include "harness/core/error.h"

namespace traceml {

GpuLoaderBase::GpuLoaderBase(const GpuLoaderOptions& options, const SampleOrder& order,
                             std::shared_ptr<const Dataset> dataset, int held, int unit_rows,
                             int parts)
    : options_(options),
      order_(order),
      dataset_(std::move(dataset)),
      ring_(options.prefetch + held, options.batch_size, unit_rows, options.prefetch),
      slots_(ring_.slots(), options.batch_size, options.image_size, options.dtype, parts) {}

void GpuLoaderBase::start(std::int64_t first) {
  first_ = first;
  taken_ = 0;
  parked_ = false;
  records_.start(most_records_, ring_.slots(), options_.hardware_share > 0);
  if (records_.on()) started_ = options_.clock->now();
  ring_.start();
}

GpuBatch GpuLoaderBase::take() {
  if (parked_) throw RunError("a parked loader was asked for a batch; start it before");
  if (records_.on()) {
    depth_ = ready();
    asked_ = options_.clock->now();
  }
  const std::optional<int> slot = ring_.next();
  if (!slot) throw RunError("the loader was parked while a batch was waited for");
  return slots_.batch(*slot, first_ + taken_++);
}

void GpuLoaderBase::delivered(const GpuBatch& batch, std::span<const StageTimes> times) {
  if (!records_.on()) return;
  records_.take({.sequence = batch.sequence, .slot = batch.slot}, asked_, options_.clock->now(),
                depth_, times);
}

void GpuLoaderBase::give_back(const GpuBatch& batch) {
  if (records_.on()) records_.release(batch.slot, options_.clock->now());
  ring_.release(batch.slot);
}

void GpuLoaderBase::park_workers() {
  parked_ = true;
  ring_.park();
}

}  // namespace traceml
