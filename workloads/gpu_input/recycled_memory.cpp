#include "workloads/gpu_input/recycled_memory.h"

#include <algorithm>
#include <bit>
#include <exception>

namespace traceml {

namespace {

// Sizes are rounded up to powers of two, so that images of all sizes soon find what they need.
constexpr std::size_t kLeastPiece = std::size_t{64} << 10;

}  // namespace

void* RecycledMemory::take(std::size_t bytes) {
  const std::size_t size = std::bit_ceil(std::max(bytes, kLeastPiece));
  const std::lock_guard lock(mutex_);
  for (Piece& piece : pieces_) {
    if (piece.state != State::kFree || piece.size != size) continue;
    piece.state = State::kTaken;
    return piece.memory.get();
  }
  pieces_.push_back({allocate_gpu(size, kind_), size, State::kTaken});
  return pieces_.back().memory.get();
}

void RecycledMemory::give_back(void* memory) {
  const std::lock_guard lock(mutex_);
  for (Piece& piece : pieces_) {
    if (piece.memory.get() == memory) piece.state = State::kGivenBack;
  }
}

void RecycledMemory::recycle() {
  const std::lock_guard lock(mutex_);
  for (Piece& piece : pieces_) {
    if (piece.state == State::kGivenBack) piece.state = State::kFree;
  }
}

int RecycledMemory::allocate(void* context, void** memory, std::size_t bytes, cudaStream_t) {
  try {
    *memory = static_cast<RecycledMemory*>(context)->take(bytes);
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

int RecycledMemory::release(void* context, void* memory, std::size_t, cudaStream_t) {
  static_cast<RecycledMemory*>(context)->give_back(memory);
  return 0;
}

}  // namespace traceml
