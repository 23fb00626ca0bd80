#pragma once

#include <torch/torch.h>

namespace traceml {

// y = max(y + x, 0) on the current stream; float32 or bfloat16, both of the same strides and dense.
// Throws NotBuilt without CUDA.
void queue_add_relu(const at::Tensor& y, const at::Tensor& x);

}  // namespace traceml
