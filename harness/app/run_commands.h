#pragma once

#include <optional>

#include "harness/app/command_line.h"
#include "harness/plan/config.h"

namespace traceml {

// The config of a run whose arms are commands and that no launcher started on several ranks;
// nullopt for every other run, a config with a fault included. Starts no MPI: the commands may.
std::optional<Config> commands_to_run(const RunArguments& arguments);

// Launches, judges, reports. Throws UsageError before the first launch.
int run_commands(const RunArguments& arguments, const Config& config);

}  // namespace traceml
