#include "harness/backends/cupti/cupti_buffers.h"

#include <cstring>
#include <exception>
#include <new>
#include <utility>

namespace traceml {
namespace {

constexpr std::size_t kAlignment = 4096;  // CUPTI asks for 8

CuptiBuffer make_buffer() {
  auto* bytes = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, CuptiBuffers::kBytes));
  if (bytes == nullptr) throw std::bad_alloc();
  std::memset(bytes, 0, CuptiBuffers::kBytes);
  return CuptiBuffer(bytes);
}

}  // namespace

CuptiBuffers::CuptiBuffers(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) free_.push_back(make_buffer());
}

std::uint8_t* CuptiBuffers::take() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::uint8_t* const buffer = free_.back().release();
      free_.pop_back();
      return buffer;
    }
  }
  return make_buffer().release();  // without memory the process ends here
}

void CuptiBuffers::give(std::uint8_t* buffer, std::size_t used) noexcept {
  const std::lock_guard lock(mutex_);
  filled_.push_back({CuptiBuffer(buffer), used});
}

std::vector<FilledBuffer> CuptiBuffers::filled() {
  const std::lock_guard lock(mutex_);
  return std::exchange(filled_, {});
}

// CUPTI is told that its buffers are zero.
void CuptiBuffers::recycle(std::vector<FilledBuffer> buffers) {
  for (FilledBuffer& buffer : buffers) std::memset(buffer.bytes.get(), 0, buffer.used);
  const std::lock_guard lock(mutex_);
  for (FilledBuffer& buffer : buffers) free_.push_back(std::move(buffer.bytes));
}

}  // namespace traceml
