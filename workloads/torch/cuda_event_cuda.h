#pragma once

#include <c10/cuda/CUDAException.h>
#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

namespace traceml {

struct DestroyTorchEvent {
  // What fails here has been seen before by a call that could say so.
  void operator()(cudaEvent_t event) const noexcept { static_cast<void>(cudaEventDestroy(event)); }
};
using TorchEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyTorchEvent>;

inline TorchEvent make_torch_event(unsigned flags) {
  cudaEvent_t event = nullptr;
  C10_CUDA_CHECK(cudaEventCreateWithFlags(&event, flags));
  return TorchEvent(event);
}

}  // namespace traceml
