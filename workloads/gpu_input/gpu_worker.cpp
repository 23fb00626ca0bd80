#include "workloads/gpu_input/gpu_worker.h"

#include "workloads/input/random_resized_crop.h"

namespace traceml {

namespace {

constexpr std::size_t kUsualPixels = std::size_t{kUsualSide} * kUsualSide * 3;

// One that was cut off, or has something behind the image, is the host's: nvJPEG would decode what
// is there and invent the rest.
bool ends_as_it_should(std::span<const std::uint8_t> file) {
  return file.size() >= 2 && file[file.size() - 2] == 0xff && file[file.size() - 1] == 0xd9;
}

}  // namespace

GpuWorker::GpuWorker(const std::shared_ptr<const NvjpegSession>& session,
                     std::shared_ptr<const Dataset> dataset, Cache cache, int rows,
                     cudaStream_t stream)
    : dataset_(std::move(dataset)),
      own_(stream == nullptr ? make_gpu_stream() : nullptr),
      stream_(stream == nullptr ? own_.get() : stream),
      reader_(dataset_->folder, cache),
      host_(stream_),
      cuda_(session, stream_),
      pixels_(static_cast<std::size_t>(rows) * kUsualPixels, MemoryKind::kDevice) {}

GpuSampleFacts GpuWorker::make(std::int64_t sample, Random random, CropImage image,
                               HardwareBatch* engines, CropResizeRequest* crops,
                               StageWatch& watch) {
  const Sample& file = dataset_->samples[static_cast<std::size_t>(sample)];
  const auto bytes =
      engines != nullptr ? reader_.read(file.path, *engines) : reader_.read(file.path);
  watch.end(&StageTimes::read);
  image.label = file.label;
  const GpuSampleFacts facts = decode(bytes, random, image, engines, crops);
  watch.end(&StageTimes::decode);
  return facts;
}

GpuSampleFacts GpuWorker::decode(std::span<const std::uint8_t> file, Random random, CropImage image,
                                 HardwareBatch* engines, CropResizeRequest* crops) {
  const JpegHeader header = host_.read_header(file);
  const Crop crop = random_resized_crop(header.size, random);
  image.mirrored = random.coin();
  image.width = crop.width;
  image.height = crop.height;
  const auto add_to = [&](CropResizeRequest* request, const DevicePixels& pixels) {
    image.pixels = pixels.pixels;
    image.pitch = pixels.pitch;
    image.columns = pixels.columns;
    image.rows = pixels.rows;
    request->add(image);
  };
  if (ends_as_it_should(file)) {
    if (engines != nullptr) {
      if (const auto pixels = engines->add(file, header.size, crop)) {
        add_to(&engines->crops, *pixels);
        return {header.grey, DecodedBy::kHardware};
      }
    }
    if (const auto pixels = cuda_.decode(file, header.size, crop, pixels_)) {
      add_to(crops, *pixels);
      return {header.grey, DecodedBy::kCuda};
    }
  }
  add_to(crops, host_.decode(crop, pixels_));
  return {header.grey, DecodedBy::kHost};
}

}  // namespace traceml
