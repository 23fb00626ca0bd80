#include "workloads/input/make_batch_source.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/input/batch_loader.h"
#include "workloads/input/pin_copy_source.h"

namespace traceml {

void require_classes(const Dataset& dataset, const WorkloadConfig& workload) {
  const auto classes = static_cast<int>(dataset.classes.size());
  if (classes <= workload.classes) return;
  throw UsageError(fmt::format(
      "the data set has {} classes, but workload.classes is {}; set workload.classes to {}",
      classes, workload.classes, classes));
}

std::unique_ptr<BatchSource> make_batch_source(const InputConfig& input,
                                               const WorkloadConfig& workload, std::uint64_t seed,
                                               Rank rank, int world_size,
                                               std::shared_ptr<const Dataset> dataset,
                                               const LoaderCores& cores) {
  require_classes(*dataset, workload);
  const LoaderOptions options{
      .workers = input.workers,
      .scheduling = input.scheduling,
      .prefetch = input.prefetch,
      .dtype = input.dtype,
      .on_error = input.on_error,
      .image_size = workload.image_size,
      .batch_size = workload.batch_size,
      .seed = seed,
      .cache = input.cache,
      .scaled_decode = input.scaled_decode,
      .cores = cores,
  };
  const SampleOrder order(seed, static_cast<std::int64_t>(dataset->samples.size()),
                          workload.batch_size, rank, world_size);
  auto loader = std::make_unique<BatchLoader>(options, order, std::move(dataset));
  if (!input.pin_copy) return loader;
  return std::make_unique<PinCopySource>(std::move(loader));
}

}  // namespace traceml
