#include <cuda_runtime.h>

#include "workloads/gpu_input/crop_resize.h"
#include "workloads/gpu_input/cuda_memory.h"
#include "workloads/gpu_input/resize_taps.h"

namespace traceml {
namespace {

constexpr int kThreads = 256;
constexpr int kChannels = 3;

static_assert(sizeof(CropResizeRequest) <= 4096, "parameters of a kernel");

__device__ void store(float byte, int /*channel*/, const CropResizeRequest& /*request*/,
                      std::uint8_t* value) {
  *value = static_cast<std::uint8_t>(byte);
}
__device__ void store(float byte, int channel, const CropResizeRequest& request, float* value) {
  *value = __fmaf_rn(byte, request.scale[channel], request.shift[channel]);
}

// A thread makes a pixel and the one below it.
template <typename Value>
__global__ void crop_resize(const __grid_constant__ CropResizeRequest request) {
  const CropImage& image = request.images[blockIdx.y];
  const int pair = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (pair == 0) request.labels[image.row] = image.label;
  const int size = request.size;
  const int x = pair % size;
  const int y = 2 * (pair / size);
  if (y >= size) return;
  const ResizeSource source{image.pixels, image.pitch,   image.width,
                            image.height, image.columns, image.rows};
  const RgbPair made = resized_pair(source, image.mirrored ? size - 1 - x : x, y, size);
  Value* value = static_cast<Value*>(request.values) +
                 (static_cast<std::int64_t>(image.row) * size * size + y * size + x) * kChannels;
#pragma unroll
  for (int c = 0; c < kChannels; ++c) store(made.upper.values[c], c, request, value + c);
  if (y + 1 == size) return;
  value += static_cast<std::int64_t>(size) * kChannels;
#pragma unroll
  for (int c = 0; c < kChannels; ++c) store(made.lower.values[c], c, request, value + c);
}

}  // namespace

void queue_crop_resize(const CropResizeRequest& request, DeviceQueue queue) {
  if (request.count == 0) return;
  const int pairs = request.size * ((request.size + 1) / 2);
  const dim3 grid(static_cast<unsigned>((pairs + kThreads - 1) / kThreads),
                  static_cast<unsigned>(request.count));
  auto* stream = reinterpret_cast<cudaStream_t>(queue.handle);
  if (request.as_float) {
    crop_resize<float><<<grid, kThreads, 0, stream>>>(request);
  } else {
    crop_resize<std::uint8_t><<<grid, kThreads, 0, stream>>>(request);
  }
  check_cuda(cudaGetLastError());
}

}  // namespace traceml
