#pragma once
// baselines.json of a campaign of launches: what its stored gates are held against, as it was
// pinned when the campaign began. So a report can be made again anywhere, and a pin that moves
// meanwhile changes no verdict.

#include <map>
#include <string>

#include "harness/analysis/stored_baseline.h"

namespace traceml {

// By the name of the store in the config. Atomically (atomic_file.h).
void write_baselines(const std::string& path,
                     const std::map<std::string, PinnedBaseline>& baselines);

// Throws RunError naming the file where it is missing, torn or edited.
std::map<std::string, PinnedBaseline> read_baselines(const std::string& path);

}  // namespace traceml
