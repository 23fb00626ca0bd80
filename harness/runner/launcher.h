#pragma once
// How several launches of one plan are started, and what their ends mean. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/ports/process_runner.h"

namespace traceml {

// What starts the ranks of a launch; kDirect: there is one rank, and nothing is needed.
enum class Starter { kDirect, kMpirun, kSrun };

// "mpirun", "srun".
std::string_view name_of(Starter starter);

struct LaunchSetup {
  std::string binary;  // of this tool
  std::string config;
  std::vector<std::string> overrides;  // of the config: "measure.steps=8"
  int ranks = 1;
  int launches = 6;  // at most
  Starter starter = Starter::kMpirun;
  std::vector<std::string> starter_arguments;  // the user's own
  bool as_root = false;
  bool in_container = false;  // where Open MPI's single-copy transfers are not permitted
  int cores = 1;              // that this process may use
};

// The program of a run on the setup's ranks, which writes into the folder `dir`.
std::vector<std::string> command_of_run(const LaunchSetup& setup, const std::string& dir);

// The program of launch `number` (from 1), which writes into the folder `dir`.
std::vector<std::string> command_of_launch(const LaunchSetup& setup, int number,
                                           const std::string& dir);

// "0003": the folder of a launch, and "0003.log".
std::string folder_of_launch(int number);

// The number of such a name; nullopt for any other.
std::optional<int> launch_of_folder(std::string_view name);

// What a launch said, without the banners that mpirun sets under every exit code but 0.
std::string without_banners(const std::string& log);

// Why a launch that ended so was no launch; nullopt where it may be one: its files decide. kUsage:
// every launch would end so.
struct LaunchFailure {
  ExitCode code = ExitCode::kRunFailed;
  std::string cause;  // "rank 1: ...", or "mpirun ended with exit code 1: ..."
};

std::optional<LaunchFailure> failure_of_launch(const ProcessRequest& request,
                                               const ProcessResult& result, Starter starter);

}  // namespace traceml
