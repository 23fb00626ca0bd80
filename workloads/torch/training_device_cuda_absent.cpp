#include "harness/core/error.h"
#include "workloads/torch/training_device.h"

namespace traceml {

std::unique_ptr<TrainingDevice> make_cuda_device(int /*index*/, bool /*cudnn_benchmark*/) {
  throw NotBuilt("training on CUDA", "TRACEML_WITH_CUDA");
}

}  // namespace traceml
