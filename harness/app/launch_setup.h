#pragma once
// How this machine starts launches: by mpirun, by srun or directly, and with which flags.

#include <string>

#include "harness/app/command_line.h"
#include "harness/core/units.h"
#include "harness/plan/config.h"
#include "harness/runner/launcher.h"

namespace traceml {

// Whether mpirun or srun has started this process as a rank.
bool inside_mpirun();

// Throws UsageError for a `command` that starts ranks itself, inside mpirun.
void require_no_starter(const std::string& command);

// Of at most so many launches. Throws NotBuilt for ranks without MPI.
LaunchSetup setup_of(const LaunchArguments& arguments, int launches);

// After so long a launch is ended: it keeps measure.time_limit itself.
Seconds limit_of_launch(const MeasureConfig& measure);

}  // namespace traceml
