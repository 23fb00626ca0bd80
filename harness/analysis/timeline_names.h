#pragma once
// What the names in a trace say. Kineto, CUDA and NCCL give no other sign of it.

#include <string_view>

namespace traceml {

bool is_step(std::string_view annotation);  // ProfilerStep#7

// NCCL's kernels and RCCL's: ncclKernel_..., ncclDevKernel_..., rccl...
bool is_communication(std::string_view kernel);

// A range or frame in which the next batch is fetched: of PyTorch's DataLoader, or called so.
bool is_input(std::string_view range);

// Calls of the CUDA (HIP) runtime and driver.
bool is_synchronising(std::string_view call);
bool is_copy_call(std::string_view call);
bool is_launch(std::string_view call);
// Allocates or frees memory of the device, or pins host memory: calls that wait for the device or
// for the driver.
bool is_memory_call(std::string_view call);
bool is_module_call(std::string_view call);  // loads code
bool is_graph_launch(std::string_view call);

// Of a copy: from or to memory that is not pinned, so that the call stages it and blocks.
bool is_pageable(std::string_view copy);
bool is_host_to_device(std::string_view copy);

}  // namespace traceml
