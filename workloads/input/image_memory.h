#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>

#include "harness/core/error.h"

namespace traceml {

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};

// Page-aligned memory of a slot. allocate_images() throws RunError.
using ImageMemory = std::unique_ptr<std::byte[], FreeMemory>;

inline ImageMemory allocate_images(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  auto* memory =
      static_cast<std::byte*>(std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage));
  if (memory == nullptr) {
    throw RunError("no memory for a loader's batch of " + std::to_string(bytes) +
                   " bytes; lower input.prefetch or workload.batch_size");
  }
  return ImageMemory(memory);
}

}  // namespace traceml
