#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

namespace traceml {

// Throws RunError with the error's name and sentence unless it is cudaSuccess. The error does not
// stay behind for the next caller of cudaGetLastError().
void check(cudaError_t result, std::source_location where = std::source_location::current());

// For errors that are expected or already counted: libtorch must not find them.
inline void forget_last_error() noexcept {
  static_cast<void>(cudaGetLastError());
}

}  // namespace traceml
