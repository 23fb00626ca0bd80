#pragma once
// Device memory to try the exchange with. No NCCL or CUDA type here.

#include <cstdint>
#include <memory>

#include "harness/runner/all_reduce_sweep.h"

namespace traceml {

// CUDA devices that this process sees; 0 without a driver and in a binary without NCCL.
int nccl_device_count();

// On `device`, in a queue of its own. Throws RunError where the device has not so much memory, and
// NotBuilt in a binary without NCCL.
std::unique_ptr<SweepMemory> make_nccl_sweep_memory(int device, std::int64_t max_bytes);

}  // namespace traceml
