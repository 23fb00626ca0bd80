#pragma once

#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/ports/process_runner.h"
#include "harness/runner/command_program.h"

namespace traceml {

// Throws UsageError with the place in the config for a program or a working directory that is not
// there.
void check_programs(const Config& config);

// What the config sets for its commands that makes their timings worthless, in `environment` or as
// a word NAME=value of the command: "NCCL_DEBUG=TRACE (arm new)".
std::vector<std::string> distortions_of_commands(const Config& config);

// Starts the arms' commands. Each launch has the folder OUT/launches/0007 for its output (stdout,
// stderr) and for what the command writes to {launch_dir}.
class CommandLauncher final : public Launcher {
 public:
  // `plan` and `runner` outlive it.
  CommandLauncher(const Plan& plan, std::string out_dir, ProcessRunner& runner);

  LaunchOutcome launch(const LaunchPlace& place) override;

  // The last lines that the last launch wrote, standard error first; empty: nothing.
  const std::string& last_lines() const { return last_lines_; }

 private:
  const Plan& plan_;
  std::string out_dir_;  // absolute
  ProcessRunner& runner_;
  std::string last_lines_;
};

}  // namespace traceml
