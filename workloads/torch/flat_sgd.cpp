#include "workloads/torch/flat_sgd.h"

namespace traceml {
namespace {

// 128 bytes: vector loads and cache lines of both kinds of device.
constexpr std::int64_t kAlignmentElements = 32;

std::int64_t aligned(std::int64_t elements) {
  return (elements + kAlignmentElements - 1) / kAlignmentElements * kAlignmentElements;
}

}  // namespace

FlatSgd::FlatSgd(const std::vector<at::Tensor>& parameters, const OptimizerConfig& optimizer)
    : optimizer_(optimizer) {
  const torch::NoGradGuard no_grad;
  std::int64_t total = 0;
  for (const at::Tensor& parameter : parameters) {
    TORCH_CHECK(parameter.is_non_overlapping_and_dense() && parameter.is_leaf(),
                "FlatSgd needs dense leaves");
    slices_.push_back({total, parameter.numel()});
    total += aligned(parameter.numel());
  }
  const auto options = at::TensorOptions().dtype(at::kFloat).device(parameters.front().device());
  parameters_ = at::zeros({total}, options);
  gradients_ = at::zeros({total}, options);
  momenta_ = at::zeros({total}, options);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    at::Tensor parameter = parameters[i];
    const auto view_in = [&](const at::Tensor& flat) {
      return flat.as_strided(parameter.sizes(), parameter.strides(), slices_[i].offset);
    };
    const at::Tensor home = view_in(parameters_);
    home.copy_(parameter);
    gradient_views_.push_back(view_in(gradients_));
    parameter.set_data(home);
  }
}

void FlatSgd::step() {
  const torch::NoGradGuard no_grad;
  // With momenta that start at zero the first step needs no rule of its own.
  at::_fused_sgd_({parameters_}, {gradients_}, {momenta_}, optimizer_.weight_decay,
                  optimizer_.momentum, optimizer_.lr, /*dampening=*/0.0, /*nesterov=*/false,
                  /*maximize=*/false, /*is_first_step=*/false);
}

}  // namespace traceml
