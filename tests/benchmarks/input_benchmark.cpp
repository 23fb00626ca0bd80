// What one core makes of the stages of a loader thread, from the file to a row of a batch, and what
// a second thread adds, beside plain arithmetic on the same cores. Items are images (of arithmetic:
// rounds); times are CPU, of `threads` wall. Decoding and resizing alone: decode_benchmark.cpp.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "workloads/input/file_reader.h"
#include "workloads/input/normalise.h"
#include "workloads/input/photo_file.h"
#include "workloads/input/resize.h"
#include "workloads/input/sample_pipeline.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

constexpr int kTarget = 224;
constexpr std::size_t kTargetBytes = static_cast<std::size_t>(kTarget) * kTarget * 3;

// Photographs in a folder that is removed at the end.
class Photos {
 public:
  Photos(int long_side, int count)
      : folder_(fs::temp_directory_path() / ("traceml-benchmark-" + std::to_string(getpid()) + "-" +
                                             std::to_string(long_side))) {
    fs::create_directories(folder_ / "a");
    PhotoFile photo;
    for (int i = 0; i < count; ++i) {
      const std::span<const std::uint8_t> bytes =
          photo.make(long_side, static_cast<std::uint64_t>(i));
      std::ofstream(folder_ / "a" / (std::to_string(i) + ".jpg"), std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    }
    dataset_ = std::make_shared<const Dataset>(load_dataset(folder_));
  }
  ~Photos() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Photos(const Photos&) = delete;
  Photos& operator=(const Photos&) = delete;

  const std::shared_ptr<const Dataset>& dataset() const { return dataset_; }
  std::int64_t size() const { return static_cast<std::int64_t>(dataset_->samples.size()); }

 private:
  fs::path folder_;
  std::shared_ptr<const Dataset> dataset_;
};

const Photos& small_photos() {
  static const Photos kPhotos(512, 64);
  return kPhotos;
}

const Photos& large_photos() {
  static const Photos kPhotos(4000, 4);
  return kPhotos;
}

void read_file(benchmark::State& state) {
  const Photos& photos = small_photos();
  FileReader reader(photos.dataset()->folder);
  std::int64_t count = 0;
  for (auto _ : state) {
    const auto sample = static_cast<std::size_t>(count++ % photos.size());
    benchmark::DoNotOptimize(reader.read(photos.dataset()->samples[sample].path).data());
  }
  state.SetItemsProcessed(state.iterations());
}

// A crop of mean size, resized, turned round and made float32.
void flip_and_normalise(benchmark::State& state) {
  const ImageSize source{355, 345};
  const std::vector<std::uint8_t> pixels(
      static_cast<std::size_t>(source.width) * source.height * 3 + kReadPadding, 77);
  const ImageView view{pixels.data(), source.width, source.height,
                       static_cast<std::size_t>(source.width) * 3};
  Resizer resizer({kTarget, kTarget});
  std::vector<std::uint8_t> row(kTargetBytes);
  std::vector<float> values(kTargetBytes);
  for (auto _ : state) {
    resizer.resize(view, true, row.data());
    normalise(row, values.data());
    benchmark::DoNotOptimize(values.data());
  }
  state.SetItemsProcessed(state.iterations());
}

// From a warm file to a row of a batch; each thread has its own pipeline, as loader threads have.
void whole_sample(benchmark::State& state, const Photos& (*photos_of)(), SampleType type,
                  ScaledDecode scaled) {
  const Photos& photos = photos_of();
  SamplePipeline pipeline(photos.dataset(), kTarget, type, Cache::kWarm, scaled);
  std::vector<std::uint8_t> row(bytes_per_sample(kTarget, type));
  StageWatch no_watch;
  std::int64_t count = state.thread_index() * 1000;
  for (auto _ : state) {
    const std::int64_t sample = count % photos.size();
    pipeline.make(sample, sample_random(1, count / photos.size(), sample), row.data(), no_watch);
    ++count;
    benchmark::DoNotOptimize(row.data());
  }
  state.SetItemsProcessed(state.iterations());
}

// Touches no memory: what a second thread adds to it, it can add to anything.
void arithmetic(benchmark::State& state) {
  for (auto _ : state) {
    std::uint64_t x = 88172645463325252ULL;
    for (int i = 0; i < 200'000; ++i) {
      x ^= x << 13;
      x ^= x >> 7;
      x ^= x << 17;
    }
    benchmark::DoNotOptimize(x);
  }
  state.SetItemsProcessed(state.iterations());
}

void small_uint8(benchmark::State& state) {
  whole_sample(state, small_photos, SampleType::kUint8, ScaledDecode::kOff);
}

void small_float32(benchmark::State& state) {
  whole_sample(state, small_photos, SampleType::kFloat32, ScaledDecode::kOff);
}

void large_full(benchmark::State& state) {
  whole_sample(state, large_photos, SampleType::kUint8, ScaledDecode::kOff);
}

void large_scaled(benchmark::State& state) {
  whole_sample(state, large_photos, SampleType::kUint8, ScaledDecode::kAuto);
}

const bool kRegistered = [] {
  benchmark::RegisterBenchmark("read/512px", read_file);
  benchmark::RegisterBenchmark("resize_flip_normalise", flip_and_normalise);
  benchmark::RegisterBenchmark("sample/512px/uint8", small_uint8);
  benchmark::RegisterBenchmark("sample/512px/float32", small_float32);
  benchmark::RegisterBenchmark("sample/4000px/full", large_full);
  benchmark::RegisterBenchmark("sample/4000px/scaled", large_scaled);
  for (const int threads : {1, 2}) {
    benchmark::RegisterBenchmark("threads/sample/512px/uint8", small_uint8)
        ->Threads(threads)
        ->UseRealTime();
    benchmark::RegisterBenchmark("threads/arithmetic", arithmetic)->Threads(threads)->UseRealTime();
  }
  return true;
}();

}  // namespace
}  // namespace traceml
