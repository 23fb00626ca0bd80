#include "workloads/gpu_input/hardware_batch.h"

#include <algorithm>

#include "harness/core/error.h"
#include "workloads/gpu_input/decoded_region.h"

namespace traceml {

namespace {

// Of a file and of its pixels, on average over a mini-batch: more than Food-101's.
constexpr std::size_t kUsualFile = std::size_t{128} << 10;
constexpr std::size_t kUsualPixels = std::size_t{kUsualSide} * kUsualSide * 3;

}  // namespace

HardwareBatch::HardwareBatch(std::shared_ptr<const NvjpegSession> session, int rows, bool waits)
    : session_(std::move(session)),
      waits_(waits),
      stream_(make_gpu_stream()),
      done_(make_gpu_event()),
      device_{RecycledMemory::allocate, RecycledMemory::release, &device_memory_},
      pinned_{RecycledMemory::allocate, RecycledMemory::release, &pinned_memory_},
      handle_(create_nvjpeg(session_->library(), NvjpegLibrary::kHardware, &device_, &pinned_),
              {session_->library().destroy}),
      bytes_(static_cast<std::size_t>(rows) * kUsualFile, MemoryKind::kPinned),
      pixels_(static_cast<std::size_t>(rows) * kUsualPixels, MemoryKind::kDevice) {
  const NvjpegLibrary& nvjpeg = session_->library();
  const NvjpegHandle handle = handle_.get();
  if (handle == nullptr) throw RunError("nvJPEG does not start the GPU's JPEG engines once more");
  state_ = make_nvjpeg(nvjpeg.state_destroy, nvjpeg.state_create, handle);
  header_ = make_nvjpeg(nvjpeg.stream_destroy, nvjpeg.stream_create, handle);
  for (int i = 0; i < rows; ++i) {
    owned_params_.push_back(make_nvjpeg(nvjpeg.params_destroy, nvjpeg.params_create, handle));
    params_.push_back(owned_params_.back().get());
    check_nvjpeg(nvjpeg.params_output_format(params_.back(), NvjpegLibrary::kRgbInterleaved));
  }
  files_.reserve(params_.size());
  sizes_.reserve(params_.size());
  images_.reserve(params_.size());
  // Its buffers are made now and not in a window. Where it refuses, it makes them when it decodes.
  static_cast<void>(nvjpeg.batched_preallocate(handle, state_.get(), rows, kUsualSide, kUsualSide,
                                               NvjpegLibrary::kSubsampling420,
                                               NvjpegLibrary::kRgbInterleaved));
}

void HardwareBatch::begin() {
  if (waits_) check_cuda(cudaEventSynchronize(done_.get()));
  device_memory_.recycle();
  pinned_memory_.recycle();
  bytes_.rewind();
  pixels_.rewind();
  files_.clear();
  sizes_.clear();
  images_.clear();
  crops.count = 0;
}

std::uint8_t* HardwareBatch::room_for(std::size_t bytes) {
  return reinterpret_cast<std::uint8_t*>(bytes_.take(bytes));
}

// Of the file whose header was parsed last: those of which engines were seen to give the right
// pixels. They take others, too, and some of them come out wrong.
bool HardwareBatch::has_usual_colours() const {
  int subsampling = -1;
  return session_->library().subsampling(header_.get(), &subsampling) == NvjpegLibrary::kSuccess &&
         (subsampling == NvjpegLibrary::kSubsampling420 ||
          subsampling == NvjpegLibrary::kSubsampling444);
}

bool HardwareBatch::supports(NvjpegParams params, const Crop& region) const {
  const NvjpegLibrary& nvjpeg = session_->library();
  int zero_if_supported = 1;
  return nvjpeg.params_roi(params, region.left, region.top, region.width, region.height) ==
             NvjpegLibrary::kSuccess &&
         nvjpeg.batched_supported(handle_.get(), header_.get(), params, &zero_if_supported) ==
             NvjpegLibrary::kSuccess &&
         zero_if_supported == 0;
}

std::optional<DevicePixels> HardwareBatch::add(std::span<const std::uint8_t> file, ImageSize size,
                                               const Crop& crop) {
  const NvjpegParams params = params_[files_.size()];
  if (session_->library().parse_header(handle_.get(), file.data(), file.size(), header_.get()) !=
          NvjpegLibrary::kSuccess ||
      !has_usual_colours()) {
    return std::nullopt;
  }
  // Engines that know no regions decode the whole image, of which the crop is used.
  Crop region = decoded_region(size, crop);
  if (!supports(params, region)) {
    region = {0, 0, size.width, size.height};
    if (!supports(params, region)) return std::nullopt;
  }
  files_.push_back(file.data());
  sizes_.push_back(file.size());
  images_.push_back(image_in(pixels_, region));
  // Widening the chroma of an image's last column and row, nvJPEG 13.0 reads beyond it.
  DevicePixels pixels = crop_in(images_.back(), region, crop);
  pixels.columns = std::max(1, std::min(crop.width, size.width - 1 - crop.left));
  pixels.rows = std::max(1, std::min(crop.height, size.height - 1 - crop.top));
  return pixels;
}

bool HardwareBatch::decode() {
  if (files_.empty()) return true;
  const NvjpegLibrary& nvjpeg = session_->library();
  const NvjpegHandle handle = handle_.get();
  return nvjpeg.batched_initialize(handle, state_.get(), files(), 1,
                                   NvjpegLibrary::kRgbInterleaved) == NvjpegLibrary::kSuccess &&
         nvjpeg.batched_decode(handle, state_.get(), files_.data(), sizes_.data(), images_.data(),
                               params_.data(), stream_.get()) == NvjpegLibrary::kSuccess;
}

void HardwareBatch::end() {
  check_cuda(cudaEventRecord(done_.get(), stream_.get()));
}

}  // namespace traceml
