#include "harness/app/gpu_decode_choice.h"

#include <stdlib.h>

#include <algorithm>
#include <cstdlib>

#include "harness/app/ranks.h"
#include "harness/backends/cuda/cuda_backend.h"
#include "harness/plan/gpu_decode_rules.h"
#include "harness/runner/agreement.h"
#include "workloads/gpu_input/gpu_batches.h"

namespace traceml {
namespace {

GpuDecodeLack lack_of(const GpuChoice& choice) {
  if (!cuda_built()) return {find_gpu_decoding(0).why_none, ""};
  if (!choice.gpu) return {choice.note.value_or("this run is not on a GPU"), ""};
  const GpuDecoding found = find_gpu_decoding(choice.gpu->index);
  if (found.engines > 0) return {found.why_none, ""};
  return {found.why_none,
          "the GPU has no JPEG engines that nvJPEG can use; set input.hardware_share to auto or 0"};
}

std::string first_of_all_ranks(Transport& transport, const std::string& own) {
  for (const std::string& sentence : lines_of_all_ranks(transport, own)) {
    if (!sentence.empty()) return sentence;
  }
  return "";
}

}  // namespace

std::optional<std::string> give_streams_queues_of_their_own(const Plan& plan) {
  const auto& arms = plan.config.arms;
  if (std::none_of(arms.begin(), arms.end(), decodes_on_gpu)) return std::nullopt;
  constexpr const char* kVariable = "CUDA_DEVICE_MAX_CONNECTIONS";
  ::setenv(kVariable, "32", 0);
  return std::getenv(kVariable);
}

LeftOut leave_out_what_cannot_run(Transport& transport, const GpuChoice& choice, Config* config,
                                  Plan* plan) {
  const auto& arms = plan->config.arms;
  if (std::none_of(arms.begin(), arms.end(), decodes_on_gpu)) return {};
  const GpuDecodeLack own = lack_of(choice);
  const GpuDecodeLack lack{first_of_all_ranks(transport, own.all),
                           first_of_all_ranks(transport, own.engines)};
  return together(transport, [&] {
    LeftOut left_out = leave_out_arms(lack, plan->facts, config);
    if (left_out.sentences.empty()) return left_out;
    *plan = make_plan(*config, transport.world_size());
    plan->facts.left_out_gates = left_out.gates;
    return left_out;
  });
}

}  // namespace traceml
