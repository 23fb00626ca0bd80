#pragma once
// Shared by the sources of this room alone: checked calls, and handles that destroy themselves.

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>

#include "harness/core/units.h"
#include "harness/ports/collective.h"

namespace traceml {

// Throws RunError with CUDA's own words and the place of the call.
void check(cudaError_t code, const char* call,
           std::source_location where = std::source_location::current());

// The same in NCCL's words, with its last message where it has one. `communicator` may be null.
[[noreturn]] void fail(ncclResult_t code, const char* call, ncclComm_t communicator);

struct DestroyNcclEvent {
  void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
};
using EventHandle = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyNcclEvent>;

struct DestroyStream {
  void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
};
using StreamHandle = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyStream>;

// `flags`: cudaEventDefault for one that is timed, cudaEventDisableTiming for one that only orders.
EventHandle make_nccl_event(unsigned flags);

// Does not wait for the default stream; of the device's highest priority.
StreamHandle make_urgent_stream();

inline cudaStream_t nccl_stream_of(DeviceQueue queue) {
  return reinterpret_cast<cudaStream_t>(queue.handle);
}

}  // namespace traceml
