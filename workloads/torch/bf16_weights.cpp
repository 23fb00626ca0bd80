#include "workloads/torch/bf16_weights.h"

#include <set>

namespace traceml {
namespace {

std::set<const at::TensorImpl*> parameters_of_batch_norms(const Network& network) {
  std::set<const at::TensorImpl*> found;
  for (const auto& module : network.modules()) {
    if (module->as<torch::nn::BatchNorm2dImpl>() == nullptr) continue;
    for (const at::Tensor& parameter : module->parameters(/*recurse=*/false)) {
      found.insert(parameter.unsafeGetTensorImpl());
    }
  }
  return found;
}

}  // namespace

Bf16Weights::Bf16Weights(const Network& network, const std::vector<at::Tensor>& parameters,
                         const FlatSgd& flat)
    : source_(flat.parameters()), values_(at::empty_like(source_, at::kBFloat16)) {
  const torch::NoGradGuard no_grad;
  const auto keep = parameters_of_batch_norms(network);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    at::Tensor parameter = parameters[i];
    if (keep.contains(parameter.unsafeGetTensorImpl())) continue;
    parameter.set_data(
        values_.as_strided(parameter.sizes(), parameter.strides(), flat.slices()[i].offset));
  }
  cast();
}

void Bf16Weights::cast() {
  const torch::NoGradGuard no_grad;
  values_.copy_(source_);
}

}  // namespace traceml
