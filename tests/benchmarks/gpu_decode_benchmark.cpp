// Decode, crop, resize and normalise on a GPU alone, by threads and by the share that the JPEG
// engines get: images per second of real time. Photographs of 45 KB, made in a temporary folder, or
// those of the data set that TRACEML_BENCHMARK_DATA names.

#include <benchmark/benchmark.h>

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/core/error.h"
#include "workloads/gpu_input/gpu_loader.h"
#include "workloads/input/datagen.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

constexpr int kBatch = 128;

// Made once, removed at the end.
class Photographs {
 public:
  Photographs() {
    if (const char* folder = std::getenv("TRACEML_BENCHMARK_DATA")) {
      dataset_ = std::make_shared<const Dataset>(load_dataset(folder));
    } else {
      made_ = fs::temp_directory_path() / ("traceml-benchmark-gpu-" + std::to_string(getpid()));
      DatagenOptions options;
      options.folder = made_;
      options.images = 1024;
      options.test_images = 0;
      make_dataset(options);
      dataset_ = std::make_shared<const Dataset>(load_dataset(made_));
    }
    warm_cache(*dataset_);
  }
  ~Photographs() {
    std::error_code ignored;
    if (!made_.empty()) fs::remove_all(made_, ignored);
  }
  Photographs(const Photographs&) = delete;
  Photographs& operator=(const Photographs&) = delete;

  static const std::shared_ptr<const Dataset>& all() {
    static const Photographs kAll;
    return kAll.dataset_;
  }

 private:
  fs::path made_;
  std::shared_ptr<const Dataset> dataset_;
};

struct Setting {
  int workers;
  double share;
  int unit_rows;     // 0: as the loader chooses
  int mini_batches;  // likewise
};

void decode(benchmark::State& state, const Setting& setting) {
  const std::string none = find_gpus().why_none;
  if (!none.empty()) return state.SkipWithError(none.c_str());
  try {
    const std::shared_ptr<const Dataset> dataset = Photographs::all();
    check_cuda(cudaSetDevice(0));
    const GpuStream training = make_gpu_stream(true);
    const SampleOrder order(1, std::ssize(dataset->samples), kBatch, Rank{0}, 1);
    GpuLoaderOptions options;
    options.workers = setting.workers;
    options.prefetch = 4;
    options.hardware_share = setting.share;
    options.dtype = SampleType::kFloat32;
    options.batch_size = kBatch;
    options.unit_rows = setting.unit_rows;
    options.mini_batches = setting.mini_batches;
    options.place = {0, {reinterpret_cast<std::uintptr_t>(training.get())}};
    const auto session = NvjpegSession::open();
    state.SetLabel(session->facts());
    const auto begun = std::chrono::steady_clock::now();
    GpuLoader loader(options, order, dataset, session);
    state.counters["made_in_ms"] =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count();
    loader.start(0);
    const auto take = [&] {
      const GpuBatch batch = loader.next();
      loader.release(batch);
      check_cuda(cudaStreamSynchronize(training.get()));
    };
    for (int k = 0; k < 16; ++k) take();
    for (auto _ : state) take();
    state.SetItemsProcessed(state.iterations() * kBatch);
    loader.park();
  } catch (const Error& error) {
    state.SkipWithError(error.what());
  }
}

void add(const Setting& setting) {
  std::string name = fmt::format("gpu_decode/threads:{}/share:{}", setting.workers, setting.share);
  if (setting.unit_rows > 0) name += fmt::format("/unit_rows:{}", setting.unit_rows);
  if (setting.mini_batches > 0) name += fmt::format("/mini_batches:{}", setting.mini_batches);
  // A fixed number of batches: making a loader takes longer than timing one.
  const int batches = setting.share > 0 ? 240 : 40 * setting.workers;
  benchmark::RegisterBenchmark(name.c_str(), decode, setting)->UseRealTime()->Iterations(batches);
}

const bool kRegistered = [] {
  for (const int workers : {1, 2, 4, 8, 14}) {
    for (const double share : {0.0, 0.65, 0.9, 1.0}) add({workers, share, 0, 0});
  }
  for (const int unit_rows : {8, 16, 64}) add({4, 1.0, unit_rows, 0});
  for (const int mini_batches : {2, 4, 16}) add({4, 1.0, 0, mini_batches});
  return true;
}();

}  // namespace
}  // namespace traceml
