#pragma once
// The folder of a campaign of launches: OUT/launches/0001/, 0001.log, 0002/, ... There is no other
// state: what lies there says how far the campaign is, whatever moment it was killed at.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/codec/run_info.h"

namespace traceml {

// Whether `dir` holds such a campaign. A run of commands has a launches/ too, and a raw/ beside it.
bool is_launch_folder(const std::string& dir);

// "OUT/launches/0003".
std::string dir_of_launch(const std::string& out, int number);

// Keeps other campaigns out of OUT; programs that are started meanwhile keep it, too, until they
// end.
class LaunchFolderLock {
 public:
  // Waits for programs of a campaign that was killed: mpirun gives its ranks some seconds to end.
  // Throws UsageError where another campaign is at work, RunError where the file cannot be made.
  // `inside`: the folder of OUT that holds the lock.
  explicit LaunchFolderLock(const std::string& out,
                            std::chrono::seconds patience = std::chrono::seconds{15},
                            const std::string& inside = "launches");
  ~LaunchFolderLock();
  LaunchFolderLock(const LaunchFolderLock&) = delete;
  LaunchFolderLock& operator=(const LaunchFolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

// What the launch in folder `dir` left, nullopt unless it finished: of one that was killed the file
// is torn, says "not yet", or is not there. Throws where it finished and its file was edited since.
std::optional<RunInfo> read_if_finished(const std::string& dir, bool accept_edited);

// A launch whose files say that its plan was run to its end.
struct FinishedLaunch {
  int number = 0;
  RunInfo info;
};

// They are numbered 1 to n without a gap, and only the last launch that was begun may be
// unfinished. Throws RunError naming the launch that is missing, torn, edited or a copy.
std::vector<FinishedLaunch> finished_launches(const std::string& out, bool accept_edited);

// Sets aside what an unfinished launch left (lost_launches.h); nothing is deleted. Returns the new
// names. Throws as finished_launches().
std::vector<std::string> set_unfinished_aside(const std::string& out);

// Throws UsageError, naming the first difference, where launches of this config, ranks and build
// cannot be added to a folder that holds a launch like `there`.
void require_same_campaign(const std::string& out, const RunInfo& there, const RunInfo& here);

// "Open MPI 4.1.4"; empty where the environment has no such fact.
std::string fact_of(const RunInfo& info, const std::string& name);

}  // namespace traceml
