// What one core makes of photographs with a long side of 512 pixels: whole decodes, crops, resizes,
// and the whole way from file bytes to a row of a batch. Items are images; the times that count are
// CPU.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/input/jpeg_decoder.h"
#include "workloads/input/normalise.h"
#include "workloads/input/photo_file.h"
#include "workloads/input/random_resized_crop.h"
#include "workloads/input/resize.h"

namespace traceml {
namespace {

constexpr int kLongSide = 512;
constexpr int kTarget = 224;
constexpr int kPhotos = 64;
constexpr std::size_t kTargetBytes = static_cast<std::size_t>(kTarget) * kTarget * 3;

using Bytes = std::vector<std::uint8_t>;

const std::vector<Bytes>& photos() {
  static const std::vector<Bytes> kFiles = [] {
    std::vector<Bytes> files;
    PhotoFile photo;
    for (std::uint64_t key = 0; key < kPhotos; ++key) {
      const std::span<const std::uint8_t> file = photo.make(kLongSide, key);
      files.emplace_back(file.begin(), file.end());
    }
    return files;
  }();
  return kFiles;
}

// Goes round the photos; every round draws other crops.
struct Draw {
  const Bytes& file;
  Random random;
};

Draw draw(std::int64_t count) {
  const std::int64_t index = count % kPhotos;
  return {photos()[static_cast<std::size_t>(index)], sample_random(1, count / kPhotos, index)};
}

void report(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations());
}

void whole_decode(benchmark::State& state) {
  JpegDecoder decoder;
  std::int64_t count = 0;
  photos();
  for (auto _ : state) {
    const Draw next = draw(count++);
    const ImageSize size = decoder.read_header(next.file).size;
    benchmark::DoNotOptimize(decoder.decode({0, 0, size.width, size.height}));
  }
  report(state);
}

void crop_decode(benchmark::State& state) {
  JpegDecoder decoder;
  std::int64_t count = 0;
  photos();
  for (auto _ : state) {
    Draw next = draw(count++);
    const ImageSize size = decoder.read_header(next.file).size;
    benchmark::DoNotOptimize(decoder.decode(random_resized_crop(size, next.random)));
  }
  report(state);
}

void crop_decode_and_resize(benchmark::State& state) {
  JpegDecoder decoder;
  Resizer resizer({kTarget, kTarget});
  Bytes row(kTargetBytes);
  std::int64_t count = 0;
  photos();
  for (auto _ : state) {
    Draw next = draw(count++);
    const ImageSize size = decoder.read_header(next.file).size;
    const ImageView view = decoder.decode(random_resized_crop(size, next.random));
    resizer.resize(view, next.random.coin(), row.data());
    benchmark::DoNotOptimize(row.data());
  }
  report(state);
}

// A crop of mean size.
void resize(benchmark::State& state, const ResizeKernels& kernels) {
  const ImageSize source{355, 345};
  const Bytes pixels(static_cast<std::size_t>(source.width) * source.height * 3 + kReadPadding, 77);
  const ImageView view{pixels.data(), source.width, source.height,
                       static_cast<std::size_t>(source.width) * 3};
  Resizer resizer({kTarget, kTarget}, kernels);
  Bytes row(kTargetBytes);
  for (auto _ : state) {
    resizer.resize(view, false, row.data());
    benchmark::DoNotOptimize(row.data());
  }
  report(state);
}

void normalise_row(benchmark::State& state) {
  const Bytes pixels(kTargetBytes, 77);
  std::vector<float> values(kTargetBytes);
  for (auto _ : state) {
    normalise(pixels, values.data());
    benchmark::DoNotOptimize(values.data());
  }
  report(state);
}

const bool kRegistered = [] {
  benchmark::RegisterBenchmark("decode/whole", whole_decode);
  benchmark::RegisterBenchmark("decode/crop", crop_decode);
  benchmark::RegisterBenchmark("decode/crop_and_resize", crop_decode_and_resize);
  for (int i = 0; i < runnable_kernels().count; ++i) {
    const ResizeKernels& kernels = *runnable_kernels().variants[i];
    benchmark::RegisterBenchmark((std::string("resize/") + kernels.name).c_str(),
                                 [&kernels](benchmark::State& state) { resize(state, kernels); });
  }
  benchmark::RegisterBenchmark("normalise/float32", normalise_row);
  return true;
}();

}  // namespace
}  // namespace traceml
