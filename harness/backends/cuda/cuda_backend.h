#pragma once
// The device clock of NVIDIA GPUs: pooled timing events. No CUDA type here.

#include <cstdint>
#include <memory>

#include "harness/ports/device_clock.h"

namespace traceml {

bool cuda_built();

// A pool of `marks` events on device `device`. Throws NotBuilt in a binary without CUDA.
std::unique_ptr<DeviceClock> make_cuda_device_clock(int device, std::uint32_t marks);

}  // namespace traceml
