#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/app/gpu_choice.h"
#include "harness/plan/plan.h"
#include "harness/ports/transport.h"

namespace traceml {

// Where an arm decodes on the GPU, and before the first CUDA call: more hardware queues than the
// eight that CUDA gives the streams of a process, so that work of a decoding stream does not wait
// behind all that a training thread has queued ahead (workloads/gpu_input/DECISIONS.md). What the
// user set holds. Returns what is set then, null without such an arm.
std::optional<std::string> give_streams_queues_of_their_own(const Plan& plan);

// Takes arms out of config and plan whose images would be decoded by what a rank does not have, and
// the gates that name them. Collective. Throws UsageError where the rest depends on one of them
// (leave_out_arms()).
LeftOut leave_out_what_cannot_run(Transport& transport, const GpuChoice& choice, Config* config,
                                  Plan* plan);

}  // namespace traceml
