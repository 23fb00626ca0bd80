#pragma once

#include <string>
#include <vector>

#include "harness/core/campaign.h"
#include "harness/plan/config.h"

namespace traceml {

// Whether the arm reads files and a GPU decodes them.
bool decodes_on_gpu(const ArmConfig& arm);

// What a machine lacks of decoding on a GPU, in sentences; empty: it has it.
struct GpuDecodeLack {
  std::string all;      // nothing of it is there
  std::string engines;  // JPEG engines
};

struct LeftOut {
  std::vector<std::string> sentences;  // one of each arm
  std::vector<GateSpec> gates;         // that name one of them, each with GateSpec::left_out
};

// Takes the arms that cannot run, and the gates that name one, out of a config as it was read;
// `planned` are the facts of its make_plan(). Throws UsageError where the rest of the run depends
// on one of them: it is swept or traced, or no other arm has a loader.
LeftOut leave_out_arms(const GpuDecodeLack& lack, const CampaignFacts& planned, Config* config);

// Throws UsageError for keys that decoding on a GPU does not have, or that it alone has.
void check_gpu_decode(const Config& config);

}  // namespace traceml
