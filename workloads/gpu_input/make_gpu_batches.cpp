#include <future>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/gpu_input/gpu_loader.h"
#include "workloads/gpu_input/gpu_naive_loader.h"
#include "workloads/gpu_input/hardware_share.h"
#include "workloads/input/make_batch_source.h"

namespace traceml {

namespace {

double share_of_engines(const NvjpegSession& session, const InputConfig& input) {
  if (input.decode == Decode::kGpuNaive) return 0;
  return input.hardware_share.value_or(
      automatic_share(session.engines(), session.cores_per_engine(), input.workers));
}

std::string facts_of(const NvjpegSession& session, const InputConfig& input, double share) {
  if (input.decode == Decode::kGpuNaive) return session.facts();
  return fmt::format("{}; hardware_share {}{}", session.facts(), share,
                     input.hardware_share ? "" : " (auto)");
}

}  // namespace

std::unique_ptr<GpuBatchSource> make_gpu_batches(const InputConfig& input,
                                                 const WorkloadConfig& workload, std::uint64_t seed,
                                                 Rank rank, int world_size,
                                                 std::shared_ptr<const Dataset> dataset,
                                                 const GpuPlace& place, const LoaderCores& cores) {
  require_classes(*dataset, workload);
  std::shared_ptr<const NvjpegSession> session = NvjpegSession::open();
  const double share = share_of_engines(*session, input);
  const GpuLoaderOptions options{
      .workers = input.workers,
      .prefetch = input.prefetch,
      .hardware_share = share,
      .dtype = input.dtype,
      .on_error = input.on_error,
      .image_size = workload.image_size,
      .batch_size = workload.batch_size,
      .seed = seed,
      .cache = input.cache,
      .cores = cores,
      .place = place,
      .facts = facts_of(*session, input, share),
  };
  const SampleOrder order(seed, static_cast<std::int64_t>(dataset->samples.size()),
                          workload.batch_size, rank, world_size);
  if (input.decode == Decode::kGpuNaive) {
    return std::make_unique<GpuNaiveLoader>(options, order, std::move(dataset), std::move(session));
  }
  return std::make_unique<GpuLoader>(options, order, std::move(dataset), std::move(session));
}

// In a thread of its own: to make the caller's GPU current again would make a context on GPU 0
// where the caller had chosen none.
GpuDecoding find_gpu_decoding(int gpu) {
  const auto probe = [gpu]() -> GpuDecoding {
    try {
      check_cuda(cudaSetDevice(gpu));
      const auto session = NvjpegSession::open();
      return {session->facts(), "", session->engines()};
    } catch (const Error& error) {
      return {"", error.what(), 0};
    }
  };
  return std::async(std::launch::async, probe).get();
}

}  // namespace traceml
