#include "workloads/torch/add_relu.h"

#include "workloads/torch/add_relu_kernel_cuda.h"

namespace traceml {
namespace {

// Memory that one loop over the elements of both may run through.
bool lie_alike(const at::Tensor& y, const at::Tensor& x) {
  return y.sizes() == x.sizes() && y.strides() == x.strides() && y.is_non_overlapping_and_dense() &&
         y.scalar_type() == x.scalar_type();
}

bool has_kernel(const at::Tensor& y) {
  return y.is_cuda() && (y.scalar_type() == at::kFloat || y.scalar_type() == at::kBFloat16);
}

class AddRelu : public torch::autograd::Function<AddRelu> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, at::Tensor y,
                            const at::Tensor& x) {
    queue_add_relu(y, x);
    context->mark_dirty({y});
    context->save_for_backward({y});
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const at::Tensor y = context->get_saved_variables().front();
    const at::Tensor gradient = at::threshold_backward(gradients.front(), y, 0);
    return {gradient, gradient};
  }
};

}  // namespace

at::Tensor add_relu(at::Tensor y, const at::Tensor& x) {
  if (has_kernel(y) && lie_alike(y, x)) return AddRelu::apply(std::move(y), x);
  y += x;
  return y.relu_();
}

}  // namespace traceml
