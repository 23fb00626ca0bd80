#include "harness/core/error.h"
#include "workloads/torch/add_relu_kernel_cuda.h"

namespace traceml {

void queue_add_relu(const at::Tensor& /*y*/, const at::Tensor& /*x*/) {
  throw NotBuilt("training on CUDA", "TRACEML_WITH_CUDA");
}

}  // namespace traceml
