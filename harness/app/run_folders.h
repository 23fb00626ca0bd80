#pragma once
// Where a run's files lie, and what becomes of them.

#include <string>

#include "harness/app/command_line.h"
#include "harness/core/ids.h"
#include "harness/ports/transport.h"
#include "harness/runner/run_watch.h"

namespace traceml {

// The folder of the results, and of this rank's raw files until they are gathered.
struct RunFolders {
  std::string results;
  std::string scratch;  // empty: the raw files are written into the results at once

  const std::string& of_raw() const { return scratch.empty() ? results : scratch; }
};

// Collective. Rank 0 makes the folder; a rank that does not see it (no shared file system) makes
// its own of that name. Failures from now on say what is left of the run. Throws on all ranks:
// UsageError for a folder that holds something, RunError where one cannot be made.
RunFolders agree_on_folders(Transport& transport, RunWatch& watch, const RunArguments& arguments,
                            const std::string& name, const std::string& created);

// The raw files have been gathered: removes this rank's copies, and the folders once they are
// empty. Throws nothing.
void clear_scratch(const RunFolders& folders, Rank rank) noexcept;

}  // namespace traceml
