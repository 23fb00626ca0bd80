#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/plan/gpu_decode_rules.h"
#include "harness/plan/plan.h"
#include "harness/ports/transport.h"

namespace traceml {

// Where a rank trains: a GPU, the same for all ranks of a node that share it, or the CPU.
struct GpuChoice {
  std::optional<Gpu> gpu{};             // nullopt: the CPU, on all ranks
  bool over_host = false;               // gradients are exchanged through host memory
  std::optional<std::string> note{};    // what a report should say of the choice
  LeftOut left_out{};                   // arms that cannot run here, and their gates
  std::optional<std::string> queues{};  // hardware queues of its streams; null: CUDA's own number
};

// Collective. Each rank takes the GPU with its number on the node among those that CUDA shows it,
// going round where there are fewer. workload.device: auto trains on the CPU where any rank lacks a
// GPU; cuda throws RunError there, and NotBuilt in a binary without CUDA.
GpuChoice choose_gpu(const Plan& plan, Transport& transport, Rank rank_on_node);

// "GPU 1 (0000:1b:00.0)": its number in this process and its place on the machine.
std::string name_of(const Gpu& gpu);

// Collective. "gpu_model", "gpu_count", "cuda", ...: of all ranks' GPUs, into `facts`.
void add_gpu_facts(const Gpu& own, Transport& transport, std::map<std::string, std::string>& facts);

}  // namespace traceml
