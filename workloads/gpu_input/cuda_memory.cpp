#include "workloads/gpu_input/cuda_memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.h"

namespace traceml {

namespace {

constexpr std::size_t kAlignment = 256;

}  // namespace

void check_cuda(cudaError_t result, std::source_location where) {
  if (result == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // not for the next caller
  throw RunError(fmt::format("CUDA: {} ({}) while decoding images, in {}, line {}",
                             cudaGetErrorName(result), cudaGetErrorString(result),
                             where.function_name(), where.line()));
}

GpuEvent make_gpu_event() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventBlockingSync));
  return GpuEvent(event);
}

GpuStream make_gpu_stream(bool low) {
  int least = 0;
  int greatest = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, low ? least : greatest));
  return GpuStream(stream);
}

void FreeGpuMemory::operator()(std::byte* memory) const noexcept {
  static_cast<void>(kind == MemoryKind::kPinned ? cudaFreeHost(memory) : cudaFree(memory));
}

GpuMemory allocate_gpu(std::size_t bytes, MemoryKind kind) {
  void* memory = nullptr;
  check_cuda(kind == MemoryKind::kPinned ? cudaHostAlloc(&memory, bytes, cudaHostAllocPortable)
                                         : cudaMalloc(&memory, bytes));
  return {static_cast<std::byte*>(memory), FreeGpuMemory{kind}};
}

GpuArena::GpuArena(std::size_t bytes, MemoryKind kind) : kind_(kind) {
  grow(bytes);
}

void GpuArena::grow(std::size_t bytes) {
  const std::size_t size = std::max(bytes, chunks_.empty() ? bytes : chunks_.front().size);
  chunks_.push_back({allocate_gpu(size, kind_), size});
}

std::byte* GpuArena::take(std::size_t bytes) {
  const std::size_t size =
      (std::max<std::size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  while (used_ + size > chunks_[chunk_].size) {
    used_ = 0;
    if (++chunk_ == chunks_.size()) grow(size);
  }
  std::byte* const piece = chunks_[chunk_].memory.get() + used_;
  used_ += size;
  return piece;
}

void GpuArena::rewind() {
  chunk_ = 0;
  used_ = 0;
}

}  // namespace traceml
