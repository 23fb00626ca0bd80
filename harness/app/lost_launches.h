#pragma once
// Launches of a campaign that began and gave no measurement. They are kept and told in the report:
// measuring a launch again because of how long it took would choose among values.

#include <optional>
#include <string>
#include <vector>

namespace traceml {

struct LostLaunch {
  int number = 0;
  std::string cause;       // a sentence, or "interrupted"
  bool by_itself = false;  // it failed; else the campaign was stopped from outside
  bool timed_out = false;  // its own duration ended it: measure.time_limit or step_timeout
};

// The sentence that a failed launch left in its folder; empty without one.
std::string sentence_left_in(const std::string& dir);

// Whether a sentence of ours says that a limit of time ended a launch.
bool tells_of_a_limit(const std::string& sentence);

// Leaves why the launch of folder `dir` failed beside it: "0003.failure". Atomically; throws
// RunError.
void record_failure(const std::string& dir, const std::string& cause);

// Renames what a launch left, "0003", "0003.log" and "0003.failure", to "0003.unfinished-1", ...;
// the folder last. Returns the new name. Throws RunError where it cannot.
std::string set_launch_aside(const std::string& dir);

// In order: those set aside, and the one that failed last. Throws RunError where one that was set
// aside is missing before a later one.
std::vector<LostLaunch> lost_launches(const std::string& out,
                                      const std::string& folder = "launches");

// The first that was ended by a limit of time; nullopt: none.
std::optional<LostLaunch> timed_out_launch(const std::vector<LostLaunch>& lost);

// "launch 3 was ended by a limit of time (rank 0: ...)".
std::string describe_timed_out(const LostLaunch& launch);

// "2 launches did not finish and count for nothing: launch 3 (interrupted, 2 times)"; empty where
// there are none.
std::string describe_lost(const std::vector<LostLaunch>& lost);

// Why so many failed launches, of `finished` that did not, let nothing pass; empty where few did.
std::string too_many_failed(const std::vector<LostLaunch>& lost, std::size_t finished);

}  // namespace traceml
