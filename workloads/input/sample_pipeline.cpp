#include "workloads/input/sample_pipeline.h"

#include "workloads/input/normalise.h"
#include "workloads/input/random_resized_crop.h"

namespace traceml {

namespace {

constexpr std::size_t kChannels = 3;

std::size_t values_per_sample(int size) {
  return static_cast<std::size_t>(size) * static_cast<std::size_t>(size) * kChannels;
}

}  // namespace

std::size_t bytes_per_sample(int size, SampleType type) {
  return values_per_sample(size) * (type == SampleType::kUint8 ? 1 : sizeof(float));
}

SamplePipeline::SamplePipeline(std::shared_ptr<const Dataset> dataset, int size, SampleType type,
                               Cache cache)
    : dataset_(std::move(dataset)),
      type_(type),
      reader_(dataset_->folder, cache),
      resizer_({size, size}),
      bytes_(type == SampleType::kFloat32 ? values_per_sample(size) : 0) {}

SampleFacts SamplePipeline::make(std::int64_t sample, Random random, void* row, StageWatch& watch) {
  const std::string& path = dataset_->samples[static_cast<std::size_t>(sample)].path;
  const auto bytes = reader_.read(path);
  watch.end(&StageTimes::read);
  const JpegHeader header = decoder_.read_header(bytes);
  const Crop crop = random_resized_crop(header.size, random);
  const bool mirrored = random.coin();
  const ImageView view = decoder_.decode(crop);
  watch.end(&StageTimes::decode);
  if (type_ == SampleType::kUint8) {
    resizer_.resize(view, mirrored, static_cast<std::uint8_t*>(row));
  } else {
    resizer_.resize(view, mirrored, bytes_.data());
    normalise(bytes_, static_cast<float*>(row));
  }
  watch.end(&StageTimes::resize);
  return {header.grey};
}

}  // namespace traceml
