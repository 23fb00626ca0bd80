#pragma once
// A campaign of whole launches in place of windows: the same blocks, looks and verdicts.

#include <optional>
#include <string>

#include "harness/codec/command_file.h"
#include "harness/core/command_record.h"
#include "harness/plan/plan.h"
#include "harness/ports/host_clock.h"
#include "harness/runner/progress.h"

namespace traceml {

struct LaunchPlace {
  std::int64_t launch = 0;
  ArmIndex arm;
  std::optional<int> block{};  // nullopt: warm-up
  int order = 0;
};

struct LaunchOutcome {
  CommandRecord record;
  bool stopped = false;   // this process was asked to stop: no further launch
  std::string log_place;  // "launches/0007": where its output lies below the results folder
};

// Starts one launch and waits for it.
class Launcher {
 public:
  virtual ~Launcher() = default;

  // A launch that fails is a record with a void_reason. Throws RunError where nothing more can be
  // launched or kept.
  virtual LaunchOutcome launch(const LaunchPlace& place) = 0;
};

struct CommandOutcome {
  bool finished = false;
  std::string failure;                        // one sentence, where it is not finished
  std::optional<std::string> log_of_failure;  // "launches/0007", where a launch is to blame
};

// Warm-up launches, then blocks until every gate has its verdict or the last look is taken. A block
// with a failed launch is void, its later launches are left out, and it runs again in the same
// order after the other blocks of its look; more void blocks than 20 %, a warm-up launch that
// fails, any launch that outlasts its limit, the time limit and a stop end the campaign.
CommandOutcome run_command_campaign(const Plan& plan, Launcher& launcher, CommandFile& file,
                                    HostClock& clock, ProgressSink* progress);

}  // namespace traceml
