#pragma once
// The folder of a campaign of launches: OUT/launches/0001/, 0001.log, 0002/, ... There is no other
// state: what lies there says how far the campaign is, whatever moment it was killed at.

#include <chrono>
#include <string>
#include <vector>

#include "harness/app/finished_run.h"
#include "harness/core/records.h"

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
  explicit LaunchFolderLock(const std::string& out,
                            std::chrono::seconds patience = std::chrono::seconds{15});
  ~LaunchFolderLock();
  LaunchFolderLock(const LaunchFolderLock&) = delete;
  LaunchFolderLock& operator=(const LaunchFolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

// Numbers of the finished launches: those whose files say that their plan was run to its end.
// Throws RunError for files that say so and were edited.
std::vector<int> finished_launches(const std::string& out);

// Renames what unfinished launches left, "0003" to "0003.unfinished-1"; nothing is deleted.
// Returns the new names.
std::vector<std::string> set_unfinished_aside(const std::string& out);

// All finished launches as one set of records.
struct PooledLaunches {
  std::vector<int> numbers;
  RunInfo info;  // of the first, with what holds for all
  Plan plan;     // plan.facts: facts_over_launches()
  std::vector<RankRecords> records;
  std::vector<std::string> warnings;
};

// There must be one at least. Throws RunError for files that cannot be read, UsageError where
// launches of different configs or builds lie together.
PooledLaunches read_launches(const std::string& out, bool accept_edited);

// Throws UsageError, naming the first difference, where launches of this config, ranks and build
// cannot be added to a folder that holds a launch like `there`.
void require_same_campaign(const std::string& out, const RunInfo& there, const RunInfo& here);

// Whether the launches so far give every verdict there can be, or are as many as planned.
bool has_ended(const PooledLaunches& launches);

// Verdict and figures over the launches. An unfinished campaign passes nothing.
FinishedRun judge_launches(const PooledLaunches& launches);

}  // namespace traceml
