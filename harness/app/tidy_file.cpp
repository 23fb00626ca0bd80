#include "harness/app/tidy_file.h"

#include <fmt/format.h>

#include <vector>

#include "harness/app/launch_folder.h"
#include "harness/codec/atomic_file.h"
#include "harness/codec/raw_files.h"
#include "harness/codec/tidy_csv.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"

namespace traceml {
namespace {

void append_run(int launch, const RawFolder& raw, AtomicFile* file) {
  std::vector<std::string> told;  // the report has told of them
  for (const Rank rank : ranks_in(raw.path)) {
    const RankRecords records = read_rank_records(raw, rank, &told);
    file->append(tidy_rows(launch, records, raw.arm_names));
  }
}

}  // namespace

std::string write_tidy_file(const std::string& dir, const FinishedRun& run, bool accept_edited) {
  if (run.plan.facts.commands) {
    throw UsageError(fmt::format(
        "the arms of {0} are commands, whose steps are not seen; {0}/raw/commands.csv has a row a "
        "launch",
        dir));
  }
  const std::string path = dir + "/tidy.csv";
  const std::vector<std::string> arms = arm_names(run.plan.facts);
  AtomicFile file(path);
  file.append(tidy_header());
  if (is_launch_folder(dir)) {
    for (const FinishedLaunch& launch : finished_launches(dir, accept_edited)) {
      const std::string raw = dir_of_launch(dir, launch.number) + "/raw";
      append_run(launch.number, {raw, launch.info.run, arms, accept_edited}, &file);
    }
  } else {
    append_run(1, {dir + "/raw", run.info.run, arms, accept_edited}, &file);
  }
  file.commit();
  return path;
}

}  // namespace traceml
