#pragma once
// All finished launches of a campaign as one set of records, and the verdict over them.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/analysis/stored_baseline.h"
#include "harness/app/finished_run.h"
#include "harness/app/lost_launches.h"
#include "harness/codec/hosts_file.h"
#include "harness/core/records.h"

namespace traceml {

struct PooledLaunches {
  int finished = 0;            // launches 1 to this one, without those that measure again
  RunInfo info;                // of the first, with what holds for all
  std::vector<RunInfo> infos;  // of each
  Plan plan;                   // plan.facts: facts_over_launches()
  std::vector<RankRecords> records;
  std::vector<LostLaunch> lost;
  Nodes places;  // hosts, where all launches ran on the same, and GPUs likewise; else empty
  std::vector<std::string> warnings;
  std::map<std::string, PinnedBaseline> baselines;  // of stored gates: store -> what was pinned
  // The launches behind them, which measure again what failed (confirm_on_fail); null: there are
  // none. `lost` above holds theirs, too.
  std::unique_ptr<PooledLaunches> again{};
};

// There must be one at least. Throws RunError for files that cannot be read or are not those of the
// launches 1 to n, UsageError where launches of different configs or builds lie together.
PooledLaunches read_launches(const std::string& out, bool accept_edited);

// Those lost of the launches that are judged first: failures of those that measure again are not
// the failures of the verdict that they confirm.
std::vector<LostLaunch> lost_at_first(const PooledLaunches& launches);

// Whether all launches that measure again are finished.
bool is_measured_again(const PooledLaunches& launches);

// Whether the launches so far give every verdict there can be, or are as many as planned; with a
// gate on stored campaigns, as many as planned, and as many again where one is to be confirmed.
bool has_ended(const PooledLaunches& launches);

// Verdict and figures over the launches. An unfinished campaign passes nothing, and so does one of
// which a launch was ended by a limit of time or too many failed.
FinishedRun judge_launches(const PooledLaunches& launches);

}  // namespace traceml
