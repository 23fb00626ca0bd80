#include "harness/core/error.h"
#include "workloads/torch/torch_workload.h"

namespace traceml {

std::optional<TorchFacts> torch_facts() {
  return std::nullopt;
}

std::unique_ptr<Workload> make_torch_workload(const Plan& /*plan*/, Transport& /*transport*/,
                                              Collective& /*collective*/,
                                              std::optional<int> /*gpu*/, DataSets /*listed*/) {
  throw NotBuilt("training with libtorch", "TRACEML_WITH_TORCH");
}

std::unique_ptr<Workload> make_torch_workload(const Plan& /*plan*/, Transport& /*transport*/,
                                              Collective& /*collective*/,
                                              std::optional<int> /*gpu*/,
                                              std::unique_ptr<InputProvider> /*inputs*/) {
  throw NotBuilt("training with libtorch", "TRACEML_WITH_TORCH");
}

}  // namespace traceml
