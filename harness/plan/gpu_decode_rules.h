#pragma once

#include <string>
#include <vector>

#include "harness/plan/config.h"

namespace traceml {

// Whether the arm reads files and a GPU decodes them.
bool decodes_on_gpu(const ArmConfig& arm);

// What a machine lacks of decoding on a GPU, in sentences; empty: it has it.
struct GpuDecodeLack {
  std::string all;      // nothing of it is there
  std::string engines;  // JPEG engines
};

// Takes the arms that cannot run out of a config as it was read, before make_plan(); returns a
// sentence for each. Throws UsageError where something depends on one of them: a gate or the sweep
// names it, or no other arm has a loader.
std::vector<std::string> leave_out_arms(const GpuDecodeLack& lack, Config* config);

// Throws UsageError for keys that decoding on a GPU does not have, or that it alone has.
void check_gpu_decode(const Config& config);

}  // namespace traceml
