#pragma once

#include <cstdint>
#include <span>

#include "workloads/gpu_input/cuda_decoder.h"
#include "workloads/gpu_input/cuda_memory.h"
#include "workloads/input/jpeg_decoder.h"

namespace traceml {

// What nvJPEG does not decode, libjpeg-turbo does, on this thread, as on the CPU's path: it also
// says what is wrong with a file. Rare; waits for its copy.
class HostDecoder {
 public:
  explicit HostDecoder(cudaStream_t stream) : stream_(stream) {}

  // Size and colours of a file, which must stay as it is until decode(). Throws ImageError as
  // JpegDecoder does.
  JpegHeader read_header(std::span<const std::uint8_t> file) { return decoder_.read_header(file); }

  // The crop of the file whose header was read last, copied into a piece of `pixels`. Throws
  // ImageError.
  DevicePixels decode(const Crop& crop, GpuArena& pixels);

 private:
  cudaStream_t stream_;
  JpegDecoder decoder_;
};

}  // namespace traceml
