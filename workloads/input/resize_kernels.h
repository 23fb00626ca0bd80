#pragma once
// The two passes of a separable resize of 8-bit RGB, once in plain C++ and once for AVX2. All
// variants give the same bytes.

#include <cstddef>
#include <cstdint>

#include "workloads/input/resize_weights.h"

namespace traceml {

struct ResizeKernels {
  const char* name;

  // Along the rows: `rows` rows of `axis.inputs` pixels to as many of `axis.outputs`. Source: 32
  // bytes readable behind the last row. Target: stride at least 3 * outputs + 32.
  void (*horizontal)(const std::uint8_t* source, std::size_t source_stride, int rows,
                     const AxisTable& axis, std::uint8_t* target, std::size_t target_stride);

  // Across the rows: `axis.inputs` rows of `row_bytes` bytes to `axis.outputs`, packed without
  // gaps. Source: stride at least row_bytes + 32.
  void (*vertical)(const std::uint8_t* source, std::size_t source_stride, int row_bytes,
                   const AxisTable& axis, std::uint8_t* target);
};

const ResizeKernels& scalar_kernels();

// Only where the processor has AVX2.
const ResizeKernels& avx2_kernels();

// Every variant that this processor can run, the fastest last.
struct KernelChoice {
  const ResizeKernels* variants[2];
  int count;
  const ResizeKernels& best() const { return *variants[count - 1]; }
};
KernelChoice runnable_kernels();

}  // namespace traceml
