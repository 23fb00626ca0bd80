#include "workloads/torch/add_relu_kernel_cuda.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include "workloads/torch/add_relu_launch_cuda.h"

namespace traceml {

void queue_add_relu(const at::Tensor& y, const at::Tensor& x) {
  const cudaStream_t stream = c10::cuda::getCurrentCUDAStream(y.device().index());
  if (y.scalar_type() == at::kFloat) {
    launch_add_relu(y.mutable_data_ptr<float>(), x.const_data_ptr<float>(), y.numel(), stream);
  } else {
    launch_add_relu(reinterpret_cast<__nv_bfloat16*>(y.mutable_data_ptr<at::BFloat16>()),
                    reinterpret_cast<const __nv_bfloat16*>(x.const_data_ptr<at::BFloat16>()),
                    y.numel(), stream);
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace traceml
