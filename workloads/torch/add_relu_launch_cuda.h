#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace traceml {

// y[i] = max(y[i] + x[i], 0), the sum rounded to the type first; both aligned to 16 bytes. NaN
// stays NaN.
void launch_add_relu(float* y, const float* x, std::int64_t count, cudaStream_t stream);
void launch_add_relu(__nv_bfloat16* y, const __nv_bfloat16* x, std::int64_t count,
                     cudaStream_t stream);

}  // namespace traceml
