#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "workloads/gpu_input/cuda_memory.h"
#include "workloads/gpu_input/nvjpeg_handles.h"
#include "workloads/input/image.h"

namespace traceml {

// A crop that lies, or will lie once the queued work has run, in device memory: RGB, interleaved.
struct DevicePixels {
  const std::uint8_t* pixels = nullptr;
  std::int32_t pitch = 0;  // bytes from row to row
  // Of the crop, that hold pixels; those behind them are to repeat the last one.
  std::int32_t columns = 0;
  std::int32_t rows = 0;
};

// nvJPEG's CUDA back-end for one thread: Huffman decoding on this thread, the rest queued on a
// stream. Files are decoded in turn in three sets of state and buffers, so that some are on the
// device while the next one is on the host. The current GPU is that of the session.
class CudaJpegDecoder {
 public:
  // `stream` outlives it.
  CudaJpegDecoder(std::shared_ptr<const NvjpegSession> session, cudaStream_t stream);

  // Queues the crop of a file into a piece of `pixels`. The file has been used when it returns.
  // nullopt: nvJPEG does not decode it. Throws RunError where CUDA fails.
  std::optional<DevicePixels> decode(std::span<const std::uint8_t> file, ImageSize size,
                                     const Crop& crop, GpuArena& pixels);

 private:
  struct Lane {
    OwnedNvjpeg<NvjpegState> state;
    OwnedNvjpeg<NvjpegPinned> pinned;
    OwnedNvjpeg<NvjpegDevice> device;
    OwnedNvjpeg<NvjpegStream> file;
    GpuEvent done;
  };

  std::shared_ptr<const NvjpegSession> session_;
  cudaStream_t stream_;
  OwnedNvjpeg<NvjpegDecoder> decoder_;
  OwnedNvjpeg<NvjpegParams> params_;
  std::array<Lane, 3> lanes_;
  std::size_t next_ = 0;
};

// The crop inside a decoded region.
DevicePixels crop_in(const NvjpegImage& image, const Crop& region, const Crop& crop);

// Room for a crop of RGB pixels, and nvJPEG's description of it.
NvjpegImage image_in(GpuArena& pixels, const Crop& crop);

}  // namespace traceml
