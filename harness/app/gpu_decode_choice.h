#pragma once

#include <string>
#include <vector>

#include "harness/app/gpu_choice.h"
#include "harness/plan/plan.h"
#include "harness/ports/transport.h"

namespace traceml {

// Takes arms out of config and plan whose images would be decoded by what a rank does not have;
// returns a sentence for each. Collective. Throws UsageError where something depends on one of them
// (leave_out_arms()).
std::vector<std::string> leave_out_what_cannot_run(Transport& transport, const GpuChoice& choice,
                                                   Config* config, Plan* plan);

}  // namespace traceml
