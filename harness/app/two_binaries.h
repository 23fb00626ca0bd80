#pragma once
// Two builds of this tool held against each other: pairs of launches of one config, old and new in
// ABBA order in one allocation, the launch pair as the unit (docs/statistics.md, 2.3).

#include <string>

#include "harness/app/command_line.h"
#include "harness/core/units.h"
#include "harness/plan/plan.h"
#include "harness/runner/launcher.h"

namespace traceml {

struct BinaryPair {
  LaunchSetup setup;      // of this binary; setup.launches: pairs, at most
  std::string candidate;  // the other one; paths are absolute
  std::string name;       // of the config
  std::string arm;        // whose wall per step is judged
  std::string margin;     // "2%"
  Seconds launch_timeout{3600};
};

// A config whose arms `baseline` and `candidate` are the commands of their launches, YAML. The
// number of a launch is the wall per step of the arm in its run.json.
std::string config_of(const BinaryPair& pair);

// `traceml-bench launch --candidate-binary`: runs and judges them. `plan` is that of one launch.
int judge_binaries(const LaunchArguments& arguments, const Plan& plan);

}  // namespace traceml
