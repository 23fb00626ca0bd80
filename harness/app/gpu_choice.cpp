#include "harness/app/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "harness/app/ranks.h"
#include "harness/backends/nccl/nccl_backend.h"
#include "harness/runner/agreement.h"

namespace traceml {
namespace {

// What ranks tell each other: '+' and the GPU's UUID, or '-' and why there is none.
std::string message_of(const std::optional<Gpu>& gpu, const GpuSearch& search) {
  return gpu ? "+" + gpu->uuid : "-" + search.why_none;
}

std::optional<Gpu> own_of(const GpuSearch& search, Rank rank_on_node) {
  if (search.gpus.empty()) return std::nullopt;
  return search.gpus[static_cast<std::size_t>(rank_on_node.value) % search.gpus.size()];
}

}  // namespace

std::string name_of(const Gpu& gpu) {
  return fmt::format("GPU {} ({})", gpu.index, gpu.pci_bus_id);
}

void add_gpu_facts(const Gpu& own, Transport& transport,
                   std::map<std::string, std::string>& facts) {
  const std::vector<std::string> uuids = lines_of_all_ranks(transport, own.uuid);
  const std::vector<std::string> models = lines_of_all_ranks(transport, own.name);
  facts["gpu_count"] = std::to_string(std::set(uuids.begin(), uuids.end()).size());
  const std::set<std::string> distinct(models.begin(), models.end());
  facts["gpu_model"] = fmt::format("{}", fmt::join(distinct, ", "));
  facts["device"] = facts["gpu_count"] + " x " + facts["gpu_model"];
  facts["gpu_compute_capability"] = own.compute_capability;
  facts["gpu_memory_gib"] =
      fmt::format("{:.0f}", static_cast<double>(own.memory_bytes) / (1 << 30));
  const GpuSearch search = find_gpus();
  if (search.runtime) facts["cuda"] = *search.runtime;
  if (const auto driver = gpu_driver_version()) facts["driver"] = *driver;
  if (nccl_built()) facts["nccl"] = nccl_version();
}

GpuChoice choose_gpu(const Plan& plan, Transport& transport, Rank rank_on_node) {
  const WorkloadConfig& workload = plan.config.workload;
  const bool asked_for = workload.device == Device::kCuda;
  if (workload.spins() || !(asked_for || workload.device == Device::kAuto)) return {};
  if (!cuda_built()) {
    if (asked_for) throw NotBuilt("training on CUDA", "TRACEML_WITH_CUDA");
    return {};
  }
  const GpuSearch search = find_gpus();
  GpuChoice choice{.gpu = own_of(search, rank_on_node)};
  std::vector<std::string> all = lines_of_all_ranks(transport, message_of(choice.gpu, search));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].front() == '+') continue;
    const std::string why = fmt::format("rank {}: {}", rank, all[rank].substr(1));
    if (asked_for) throw AgreedError(ExitCode::kRunFailed, "workload.device is cuda, but " + why);
    return {.note = "trained on the CPU (workload.device: auto); " + why};
  }
  std::sort(all.begin(), all.end());
  const bool shared = std::adjacent_find(all.begin(), all.end()) != all.end();
  choice.over_host = all.size() > 1 && (shared || !nccl_built());
  if (choice.over_host) {
    choice.note =
        std::string(shared ? "ranks share a GPU, which NCCL refuses" : "NCCL is not built in") +
        ": gradients went over pinned memory and MPI";
  }
  return choice;
}

}  // namespace traceml
