#pragma once
// The CUDA handles of the room, and memory that is taken piece by piece and given back at once.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <source_location>
#include <type_traits>
#include <vector>

namespace traceml {

// Throws RunError with the error's name and place unless it is cudaSuccess.
void check_cuda(cudaError_t result, std::source_location where = std::source_location::current());

struct DestroyGpuEvent {
  void operator()(cudaEvent_t event) const noexcept { static_cast<void>(cudaEventDestroy(event)); }
};
using GpuEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyGpuEvent>;

struct DestroyGpuStream {
  void operator()(cudaStream_t stream) const noexcept {
    static_cast<void>(cudaStreamDestroy(stream));
  }
};
using GpuStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyGpuStream>;

// Without timing; a host wait for it sleeps.
GpuEvent make_gpu_event();

// Of the highest priority, so that small decoding kernels get between those of a training step;
// `low`: of the lowest.
GpuStream make_gpu_stream(bool low = false);

enum class MemoryKind { kPinned, kDevice };

struct FreeGpuMemory {
  MemoryKind kind = MemoryKind::kDevice;
  void operator()(std::byte* memory) const noexcept;
};
using GpuMemory = std::unique_ptr<std::byte[], FreeGpuMemory>;

// Throws RunError. Waits for the device.
GpuMemory allocate_gpu(std::size_t bytes, MemoryKind kind);

// Pieces of memory that live until rewind(). Grows where more is asked for than before, and keeps
// what it has, so that growing ends. One thread at a time.
class GpuArena {
 public:
  GpuArena(std::size_t bytes, MemoryKind kind);

  // Aligned to 256 bytes.
  std::byte* take(std::size_t bytes);

  // Everything taken may be overwritten from now on.
  void rewind();

  std::size_t chunks() const { return chunks_.size(); }

 private:
  struct Chunk {
    GpuMemory memory;
    std::size_t size = 0;
  };
  void grow(std::size_t bytes);

  MemoryKind kind_;
  std::vector<Chunk> chunks_;
  std::size_t chunk_ = 0;  // in use
  std::size_t used_ = 0;   // of it
};

}  // namespace traceml
