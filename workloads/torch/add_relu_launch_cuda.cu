#include "workloads/torch/add_relu_launch_cuda.h"

namespace traceml {
namespace {

constexpr int kThreads = 256;
constexpr int kBytes = 16;  // of a load or store

template <typename Value>
struct alignas(kBytes) Packet {
  static constexpr int kCount = kBytes / sizeof(Value);
  Value values[kCount];
};

__device__ float add_relu(float y, float x) {
  const float sum = y + x;
  return sum < 0.0F ? 0.0F : sum;
}

__device__ __nv_bfloat16 add_relu(__nv_bfloat16 y, __nv_bfloat16 x) {
  const __nv_bfloat16 sum = __float2bfloat16_rn(__bfloat162float(y) + __bfloat162float(x));
  return __bfloat162float(sum) < 0.0F ? __float2bfloat16_rn(0.0F) : sum;
}

template <typename Value>
__global__ void add_relu_all(Value* y, const Value* x, std::int64_t count) {
  using Group = Packet<Value>;
  const std::int64_t first = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * Group::kCount;
  if (first + Group::kCount <= count) {
    auto* place = reinterpret_cast<Group*>(y + first);
    Group sum = *place;
    const Group other = *reinterpret_cast<const Group*>(x + first);
#pragma unroll
    for (int i = 0; i < Group::kCount; ++i) {
      sum.values[i] = add_relu(sum.values[i], other.values[i]);
    }
    *place = sum;
    return;
  }
  for (std::int64_t i = first; i < count; ++i) y[i] = add_relu(y[i], x[i]);
}

template <typename Value>
void launch(Value* y, const Value* x, std::int64_t count, cudaStream_t stream) {
  constexpr int kPerBlock = kThreads * Packet<Value>::kCount;
  const auto blocks = static_cast<unsigned>((count + kPerBlock - 1) / kPerBlock);
  if (blocks > 0) add_relu_all<<<blocks, kThreads, 0, stream>>>(y, x, count);
}

}  // namespace

void launch_add_relu(float* y, const float* x, std::int64_t count, cudaStream_t stream) {
  launch(y, x, count, stream);
}

void launch_add_relu(__nv_bfloat16* y, const __nv_bfloat16* x, std::int64_t count,
                     cudaStream_t stream) {
  launch(y, x, count, stream);
}

}  // namespace traceml
