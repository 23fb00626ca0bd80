#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "workloads/torch/normalise_kernel_cuda.h"

namespace traceml {
namespace {

constexpr int kThreads = 256;
constexpr int kPixels = 4;  // of a thread: 12 bytes in, three words
constexpr int kChannels = 3;

__device__ void store(float* to, float value) {
  *to = value;
}
__device__ void store(__nv_bfloat16* to, float value) {
  *to = __float2bfloat16_rn(value);
}

template <typename Value>
__global__ void normalise(NormaliseRequest request) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (thread < request.images) request.labels_out[thread] = request.labels_in[thread];
  const std::int64_t first = thread * kPixels;
  const std::int64_t left = request.images * request.pixels - first;
  if (left <= 0) return;

  const std::uint8_t* bytes = request.bytes + first * kChannels;
  std::uint32_t words[kChannels] = {};
  if (left >= kPixels) {
    for (int i = 0; i < kChannels; ++i) words[i] = reinterpret_cast<const std::uint32_t*>(bytes)[i];
  } else {
    for (int i = 0; i < left * kChannels; ++i) {
      words[i / 4] |= std::uint32_t{bytes[i]} << (8 * (i % 4));
    }
  }
  auto* values = static_cast<Value*>(request.values);
  for (int i = 0; i < kPixels * kChannels; ++i) {
    if (i / kChannels >= left) return;
    const int channel = i % kChannels;
    const std::uint32_t byte = (words[i / 4] >> (8 * (i % 4))) & 0xFFU;
    const float value =
        __fmaf_rn(static_cast<float>(byte), request.scale[channel], request.shift[channel]);
    const std::int64_t pixel = first + i / kChannels;
    const std::int64_t place =
        request.planar
            ? (pixel / request.pixels * kChannels + channel) * request.pixels +
                  pixel % request.pixels
            : pixel * kChannels + channel;
    store(values + place, value);
  }
}

}  // namespace

const char* queue_normalise(const NormaliseRequest& request, DeviceQueue queue) {
  const std::int64_t threads = (request.images * request.pixels + kPixels - 1) / kPixels;
  const std::int64_t needed = threads > request.images ? threads : request.images;
  const auto blocks = static_cast<unsigned>((needed + kThreads - 1) / kThreads);
  auto* stream = reinterpret_cast<cudaStream_t>(queue.handle);
  if (request.type == NormalisedType::kFloat32) {
    normalise<float><<<blocks, kThreads, 0, stream>>>(request);
  } else {
    normalise<__nv_bfloat16><<<blocks, kThreads, 0, stream>>>(request);
  }
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorName(error);
}

}  // namespace traceml
