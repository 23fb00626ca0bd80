#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "workloads/gpu_input/crop_resize.h"
#include "workloads/gpu_input/cuda_decoder.h"
#include "workloads/gpu_input/cuda_memory.h"
#include "workloads/gpu_input/nvjpeg_handles.h"
#include "workloads/gpu_input/recycled_memory.h"
#include "workloads/input/file_reader.h"
#include "workloads/input/image.h"

namespace traceml {

// One mini-batch for the JPEG engines: files in page-locked memory, nvJPEG's state, the pixels and
// the stream on which they are decoded and used. All of it is in use until what was queued has run:
// on H100-class GPUs the engines write without regard to earlier work on the stream, so that only a
// wait on the host keeps them from pixels that are still to be read. One thread at a time.
class HardwareBatch final : public FileRoom {
 public:
  // `rows`: at most so many files at once. waits: false takes that wait out, for the test that
  // shows what it is for.
  HardwareBatch(std::shared_ptr<const NvjpegSession> session, int rows, bool waits = true);

  // Waits until the last use is over, and begins anew.
  void begin();

  // For a file of this mini-batch.
  std::uint8_t* room_for(std::size_t bytes) override;

  // Whether the engines decode this crop of this file, which lies in this object's room. Then it is
  // part of the mini-batch, and the result says where the pixels will be.
  std::optional<DevicePixels> add(std::span<const std::uint8_t> file, ImageSize size,
                                  const Crop& crop);

  // Queues the decoding of all that was added. false: nvJPEG refused it.
  bool decode();

  // What is queued on stream() from decode() on and up to here uses the pixels.
  void end();

  int files() const { return static_cast<int>(files_.size()); }
  cudaStream_t stream() const { return stream_.get(); }
  CropResizeRequest crops;  // of this mini-batch, for its owner

 private:
  bool has_usual_colours() const;
  bool supports(NvjpegParams params, const Crop& region) const;

  std::shared_ptr<const NvjpegSession> session_;
  bool waits_;
  GpuStream stream_;
  GpuEvent done_;
  // nvJPEG allocates and frees in the middle of its work. A handle and memory of its own, so that
  // what is freed can be used again once the last use of the mini-batch is over.
  RecycledMemory device_memory_{MemoryKind::kDevice};
  RecycledMemory pinned_memory_{MemoryKind::kPinned};
  NvjpegAllocator device_;
  NvjpegAllocator pinned_;
  OwnedNvjpeg<NvjpegHandle> handle_;
  OwnedNvjpeg<NvjpegState> state_;
  OwnedNvjpeg<NvjpegStream> header_;
  std::vector<OwnedNvjpeg<NvjpegParams>> owned_params_;
  std::vector<NvjpegParams> params_;
  GpuArena bytes_;
  GpuArena pixels_;
  std::vector<const unsigned char*> files_;
  std::vector<std::size_t> sizes_;
  std::vector<NvjpegImage> images_;
};

}  // namespace traceml
