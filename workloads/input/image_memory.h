#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace traceml {

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};

// Page-aligned memory of a slot.
using ImageMemory = std::unique_ptr<std::byte[], FreeMemory>;

inline ImageMemory allocate_images(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  auto* memory =
      static_cast<std::byte*>(std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage));
  if (memory == nullptr) throw std::bad_alloc();
  return ImageMemory(memory);
}

}  // namespace traceml
