#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/cuda/cuda_check.h"

namespace traceml {
namespace {

// CUDA counts 13.0 as 13000; 0 is none.
std::optional<std::string> version_of(cudaError_t result, int number) {
  if (result != cudaSuccess || number == 0) return std::nullopt;
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string why_not(cudaError_t result, const GpuSearch& found) {
  if (result == cudaErrorInsufficientDriver && !found.driver_cuda) {
    return "no NVIDIA driver is loaded on this machine";
  }
  if (result == cudaErrorInsufficientDriver) {
    return fmt::format(
        "the NVIDIA driver runs CUDA {} at most, but this binary needs CUDA {}; update the driver",
        *found.driver_cuda, found.runtime.value_or("of a later version"));
  }
  if (result == cudaErrorNoDevice || result == cudaSuccess) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (visible == nullptr) return "the NVIDIA driver knows no device";
    return fmt::format("CUDA_VISIBLE_DEVICES='{}' leaves no device", visible);
  }
  return fmt::format("CUDA finds no device: {}: {}", cudaGetErrorName(result),
                     cudaGetErrorString(result));
}

std::string text_of(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int byte = 0; byte < 16; ++byte) {
    if (byte == 0 || byte == 4 || byte == 6 || byte == 8 || byte == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[byte]));
  }
  return text;
}

// Throws RunError.
Gpu describe(int index) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index));
  std::array<char, 32> pci_bus_id{};
  check(cudaDeviceGetPCIBusId(pci_bus_id.data(), static_cast<int>(pci_bus_id.size()), index));
  return {.index = index,
          .name = properties.name,
          .uuid = text_of(properties.uuid),
          .pci_bus_id = pci_bus_id.data(),
          .compute_capability = fmt::format("{}.{}", properties.major, properties.minor),
          .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem),
          .multiprocessors = properties.multiProcessorCount};
}

}  // namespace

GpuSearch find_gpus() {
  GpuSearch found;
  int version = 0;
  cudaError_t result = cudaRuntimeGetVersion(&version);
  found.runtime = version_of(result, version);
  version = 0;
  result = cudaDriverGetVersion(&version);
  found.driver_cuda = version_of(result, version);
  int count = 0;
  result = cudaGetDeviceCount(&count);
  forget_last_error();
  if (result != cudaSuccess || count == 0) {
    found.why_none = why_not(result, found);
    return found;
  }
  try {
    for (int index = 0; index < count; ++index) found.gpus.push_back(describe(index));
  } catch (const std::exception& error) {
    found.gpus.clear();
    found.why_none = error.what();
  }
  return found;
}

}  // namespace traceml
