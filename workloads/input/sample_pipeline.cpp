#include "workloads/input/sample_pipeline.h"

#include "workloads/input/decode_scale.h"
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
                               Cache cache, ScaledDecode scaled)
    : dataset_(std::move(dataset)),
      size_{size, size},
      type_(type),
      scaled_(scaled),
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
  const int denominator =
      scaled_ == ScaledDecode::kAuto ? decode_denominator(header.size, crop, size_) : 1;
  Window part{0, 0, static_cast<double>(crop.width), static_cast<double>(crop.height)};
  const ImageView view =
      denominator == 1 ? decoder_.decode(crop) : decoder_.decode_scaled(crop, denominator, &part);
  watch.end(&StageTimes::decode);
  if (type_ == SampleType::kUint8) {
    resizer_.resize(view, part, mirrored, static_cast<std::uint8_t*>(row));
  } else {
    resizer_.resize(view, part, mirrored, bytes_.data());
    normalise(bytes_, static_cast<float*>(row));
  }
  watch.end(&StageTimes::resize);
  return {header.grey, denominator != 1};
}

}  // namespace traceml
