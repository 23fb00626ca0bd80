#pragma once
// The memory into which CUPTI writes records: its threads take it and give it back filled.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace traceml {

struct FreeBuffer {
  void operator()(std::uint8_t* buffer) const noexcept { std::free(buffer); }
};
using CuptiBuffer = std::unique_ptr<std::uint8_t, FreeBuffer>;

struct FilledBuffer {
  CuptiBuffer bytes;
  std::size_t used = 0;
};

// Any thread. CUPTI calls give() and take() from launch calls: both move a
// pointer, as long as the pool has buffers.
class CuptiBuffers {
 public:
  static constexpr std::size_t kBytes = std::size_t{4} << 20;

  // Allocates and touches `count` buffers, so that no launch call pays for that.
  explicit CuptiBuffers(std::size_t count);

  // Never null: where all are out it allocates another one, since CUPTI may not be refused.
  std::uint8_t* take() noexcept;
  void give(std::uint8_t* buffer, std::size_t used) noexcept;

  std::vector<FilledBuffer> filled();  // those given since the last call, oldest first
  void recycle(std::vector<FilledBuffer> buffers);

 private:
  std::mutex mutex_;
  std::vector<CuptiBuffer> free_;
  std::vector<FilledBuffer> filled_;
};

}  // namespace traceml
