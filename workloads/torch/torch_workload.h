#pragma once
// Training of ResNets with libtorch. No libtorch type here: torch_workload.cpp is the real thing,
// torch_workload_absent.cpp stands in where TRACEML_WITH_TORCH is off.

#include <memory>
#include <optional>
#include <string>

#include "harness/plan/plan.h"
#include "harness/ports/collective.h"
#include "harness/ports/transport.h"
#include "harness/ports/workload.h"
#include "workloads/input/dataset.h"
#include "workloads/torch/input_provider.h"

namespace traceml {

// What libtorch says of itself, for `doctor` and the fingerprint.
struct TorchFacts {
  std::string version;         // "2.11.0"
  std::string cpu_capability;  // vector instructions in use: "AVX2", "AVX512", ...
};

// nullopt: libtorch is not built in.
std::optional<TorchFacts> torch_facts();

// The training job of this rank with the data sets of the plan, those of them that are `listed`
// already and others listed now, on GPU `gpu` of those that CUDA shows, or on the CPU. Collective
// over ranks; sets libtorch's thread counts for the whole process, and with a GPU the current
// device of the calling thread, which is the training thread. Transport and collective outlive the
// workload. Throws UsageError for a device, precision or thread count that cannot be had, NotBuilt
// without libtorch.
std::unique_ptr<Workload> make_torch_workload(const Plan& plan, Transport& transport,
                                              Collective& collective, std::optional<int> gpu,
                                              DataSets listed);

// The same with loaders from elsewhere.
std::unique_ptr<Workload> make_torch_workload(const Plan& plan, Transport& transport,
                                              Collective& collective, std::optional<int> gpu,
                                              std::unique_ptr<InputProvider> inputs);

}  // namespace traceml
