#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <mutex>
#include <vector>

#include "workloads/gpu_input/cuda_memory.h"

namespace traceml {

// Memory for a library that allocates and frees while it works: both would wait for everything that
// the device has to do. What was freed is handed out again, but only after recycle(), so that work
// that is still queued may go on using it. Grows to what is needed at once, and is freed at the
// end. Any thread.
class RecycledMemory {
 public:
  explicit RecycledMemory(MemoryKind kind) : kind_(kind) {}
  RecycledMemory(const RecycledMemory&) = delete;
  RecycledMemory& operator=(const RecycledMemory&) = delete;

  // Throws RunError.
  void* take(std::size_t bytes);
  // Forgets pieces that it does not know.
  void give_back(void* memory);
  // Nothing that is queued uses what has been given back so far.
  void recycle();

  std::size_t pieces() const { return pieces_.size(); }

  // As nvJPEG calls them (nvjpegDevAllocatorV2_t, nvjpegPinnedAllocatorV2_t): `context` is one of
  // these. 0 is success.
  static int allocate(void* context, void** memory, std::size_t bytes, cudaStream_t);
  static int release(void* context, void* memory, std::size_t bytes, cudaStream_t);

 private:
  enum class State { kFree, kTaken, kGivenBack };
  struct Piece {
    GpuMemory memory;
    std::size_t size = 0;
    State state = State::kFree;
  };

  MemoryKind kind_;
  std::mutex mutex_;
  std::vector<Piece> pieces_;
};

}  // namespace traceml
