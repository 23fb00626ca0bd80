#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <memory>
#include <string>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/cuda/cuda_handles.h"

namespace traceml {

// Of the back-end's own search; empty where GPU 0 can be used.
inline std::string why_no_gpu() {
  return find_gpus().why_none;
}

inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}

inline DeviceQueue queue_of(const Stream& stream) {
  return {reinterpret_cast<std::uintptr_t>(stream.get())};
}

struct DeviceMemoryDeleter {
  void operator()(void* memory) const noexcept {
    if (cudaFree(memory) != cudaSuccess) forget_last_error();
  }
};
using DeviceMemory = std::unique_ptr<void, DeviceMemoryDeleter>;

inline DeviceMemory make_device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  return DeviceMemory(memory);
}

}  // namespace traceml
