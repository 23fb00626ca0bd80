#pragma once

#include <string>
#include <vector>

namespace traceml {

// `baseline judge`: the campaigns in these folders, together, against those that are pinned in the
// store `dir`, by the stored gates of their config (docs/statistics.md, 2.8). Prints the verdict
// and returns its exit code. Throws UsageError for folders that hold no campaigns of one config, or
// unfinished ones.
int judge_campaigns(const std::string& dir, const std::vector<std::string>& run_dirs);

}  // namespace traceml
