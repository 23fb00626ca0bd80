#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "workloads/torch/normalise_kernel_cuda.h"

namespace traceml {
namespace {

constexpr int kThreads = 256;
constexpr int kValues = 4;  // of a thread: one word in, one store out
constexpr int kChannels = 3;

struct alignas(kValues * sizeof(float)) FourFloats {
  float values[kValues];
};
struct alignas(kValues * sizeof(__nv_bfloat16)) FourBfloats {
  __nv_bfloat16 values[kValues];
};

__device__ void convert(float value, float& to) {
  to = value;
}
__device__ void convert(float value, __nv_bfloat16& to) {
  to = __float2bfloat16_rn(value);
}

// Neighbouring threads read neighbouring words and, in NHWC, write neighbouring groups.
template <typename Value, typename Four>
__global__ void normalise(NormaliseRequest request) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (thread < request.images) request.labels_out[thread] = request.labels_in[thread];
  const std::int64_t first = thread * kValues;
  const std::int64_t total = request.images * request.pixels * kChannels;
  if (first >= total) return;
  const int count = total - first < kValues ? static_cast<int>(total - first) : kValues;

  std::uint32_t word = 0;
  if (count == kValues) {
    word = *reinterpret_cast<const std::uint32_t*>(request.bytes + first);
  } else {
    for (int i = 0; i < count; ++i) word |= std::uint32_t{request.bytes[first + i]} << (8 * i);
  }
  Four out;
  const int first_channel = static_cast<int>(first % kChannels);
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    const int channel = (first_channel + i) % kChannels;
    const auto byte = static_cast<float>((word >> (8 * i)) & 0xFFU);
    convert(__fmaf_rn(byte, request.scale[channel], request.shift[channel]), out.values[i]);
  }

  auto* values = static_cast<Value*>(request.values);
  if (!request.planar && count == kValues) {
    *reinterpret_cast<Four*>(values + first) = out;
    return;
  }
  for (int i = 0; i < count; ++i) {
    const std::int64_t channel = (first_channel + i) % kChannels;
    const std::int64_t pixel = (first + i) / kChannels;
    const std::int64_t image = pixel / request.pixels;
    values[request.planar ? (image * kChannels + channel) * request.pixels + pixel % request.pixels
                          : first + i] = out.values[i];
  }
}

}  // namespace

const char* queue_normalise(const NormaliseRequest& request, DeviceQueue queue) {
  const std::int64_t groups = (request.images * request.pixels * kChannels + kValues - 1) / kValues;
  const std::int64_t needed = groups > request.images ? groups : request.images;
  const auto blocks = static_cast<unsigned>((needed + kThreads - 1) / kThreads);
  auto* stream = reinterpret_cast<cudaStream_t>(queue.handle);
  if (request.type == NormalisedType::kFloat32) {
    normalise<float, FourFloats><<<blocks, kThreads, 0, stream>>>(request);
  } else {
    normalise<__nv_bfloat16, FourBfloats><<<blocks, kThreads, 0, stream>>>(request);
  }
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorName(error);
}

}  // namespace traceml
