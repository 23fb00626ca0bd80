#pragma once
// GPUs in words, for doctor.

#include <string>
#include <vector>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/ports/device_monitor.h"

namespace traceml {

// "NVIDIA H200, 139.8 GiB, 132 multiprocessors, compute capability 9.0, PCI 0000:1b:00.0"
std::string gpu_text(const Gpu& gpu);

// "1980 MHz, memory 3201 MHz, 75.2 W, 31 C, 0 other processes"; what is not known is left out.
std::string device_state_text(const DeviceState& state);

// A sentence for each thing that makes times on the device unsteady.
std::vector<std::string> device_warnings(int gpu_index, const DeviceState& state);

}  // namespace traceml
