#include "workloads/gpu_input/cuda_decoder.h"

#include "workloads/gpu_input/decoded_region.h"

namespace traceml {

namespace {

// Coefficients of a usual image, and more: so that they are allocated here and not in a window.
constexpr std::size_t kUsualBuffer = std::size_t{4} << 20;

}  // namespace

DevicePixels crop_in(const NvjpegImage& image, const Crop& region, const Crop& crop) {
  const std::size_t offset = static_cast<std::size_t>(crop.top - region.top) * image.pitch[0] +
                             static_cast<std::size_t>(crop.left - region.left) * 3;
  return {image.channel[0] + offset, static_cast<std::int32_t>(image.pitch[0]), crop.width,
          crop.height};
}

NvjpegImage image_in(GpuArena& pixels, const Crop& crop) {
  constexpr std::size_t kChannels = 3;
  constexpr std::size_t kPitchUnit = 32;
  const std::size_t pitch =
      (static_cast<std::size_t>(crop.width) * kChannels + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
  NvjpegImage image{};
  image.channel[0] =
      reinterpret_cast<unsigned char*>(pixels.take(pitch * static_cast<std::size_t>(crop.height)));
  image.pitch[0] = pitch;
  return image;
}

CudaJpegDecoder::CudaJpegDecoder(std::shared_ptr<const NvjpegSession> session, cudaStream_t stream)
    : session_(std::move(session)), stream_(stream) {
  const NvjpegLibrary& nvjpeg = session_->library();
  const NvjpegHandle handle = session_->software();
  decoder_ =
      make_nvjpeg(nvjpeg.decoder_destroy, nvjpeg.decoder_create, handle, NvjpegLibrary::kHybrid);
  params_ = make_nvjpeg(nvjpeg.params_destroy, nvjpeg.params_create, handle);
  check_nvjpeg(nvjpeg.params_output_format(params_.get(), NvjpegLibrary::kRgbInterleaved));
  for (Lane& lane : lanes_) {
    lane.state =
        make_nvjpeg(nvjpeg.state_destroy, nvjpeg.decoder_state_create, handle, decoder_.get());
    lane.pinned = make_nvjpeg(nvjpeg.pinned_destroy, nvjpeg.pinned_create, handle, nullptr);
    lane.device = make_nvjpeg(nvjpeg.device_destroy, nvjpeg.device_create, handle, nullptr);
    lane.file = make_nvjpeg(nvjpeg.stream_destroy, nvjpeg.stream_create, handle);
    check_nvjpeg(nvjpeg.attach_pinned(lane.state.get(), lane.pinned.get()));
    check_nvjpeg(nvjpeg.attach_device(lane.state.get(), lane.device.get()));
    check_nvjpeg(nvjpeg.pinned_resize(lane.pinned.get(), kUsualBuffer, stream_));
    check_nvjpeg(nvjpeg.device_resize(lane.device.get(), kUsualBuffer, stream_));
    lane.done = make_gpu_event();
  }
}

std::optional<DevicePixels> CudaJpegDecoder::decode(std::span<const std::uint8_t> file,
                                                    ImageSize size, const Crop& crop,
                                                    GpuArena& pixels) {
  const Crop region = decoded_region(size, crop);
  const NvjpegLibrary& nvjpeg = session_->library();
  const NvjpegHandle handle = session_->software();
  Lane& lane = lanes_[next_];
  const auto fails = [](NvjpegLibrary::Status status) { return status != NvjpegLibrary::kSuccess; };
  if (fails(nvjpeg.parse(handle, file.data(), file.size(), 0, 0, lane.file.get())) ||
      fails(
          nvjpeg.params_roi(params_.get(), region.left, region.top, region.width, region.height))) {
    return std::nullopt;
  }
  // The lane's buffers are free once what was queued from them has run.
  check_cuda(cudaEventSynchronize(lane.done.get()));
  if (fails(nvjpeg.decode_host(handle, decoder_.get(), lane.state.get(), params_.get(),
                               lane.file.get()))) {
    return std::nullopt;
  }
  NvjpegImage image = image_in(pixels, region);
  const bool queued =
      !fails(nvjpeg.transfer(handle, decoder_.get(), lane.state.get(), lane.file.get(), stream_)) &&
      !fails(nvjpeg.decode_device(handle, decoder_.get(), lane.state.get(), &image, stream_));
  check_cuda(cudaEventRecord(lane.done.get(), stream_));
  next_ = (next_ + 1) % lanes_.size();
  if (!queued) return std::nullopt;
  return crop_in(image, region, crop);
}

}  // namespace traceml
