#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "harness/backends/cuda/cuda_check.h"
#include "harness/ports/device_clock.h"

namespace traceml {

inline cudaStream_t stream_of(DeviceQueue queue) {
  return reinterpret_cast<cudaStream_t>(queue.handle);
}

// In a broken context these calls fail, and the thing is gone with the context.
struct EventDeleter {
  void operator()(cudaEvent_t event) const noexcept {
    if (cudaEventDestroy(event) != cudaSuccess) forget_last_error();
  }
};
using Event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, EventDeleter>;

struct StreamDeleter {
  void operator()(cudaStream_t stream) const noexcept {
    if (cudaStreamDestroy(stream) != cudaSuccess) forget_last_error();
  }
};
using Stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, StreamDeleter>;

struct PinnedDeleter {
  void operator()(void* memory) const noexcept {
    if (cudaFreeHost(memory) != cudaSuccess) forget_last_error();
  }
};
using PinnedMemory = std::unique_ptr<void, PinnedDeleter>;

// Throws RunError. Flags: cudaEventDefault (with timing), cudaEventDisableTiming, ...
inline Event make_event(unsigned flags) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags));
  return Event(event);
}

}  // namespace traceml
