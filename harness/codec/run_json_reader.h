#pragma once
// run.json of ours, read again. For sources of this room only.

#include <string>

#include "harness/analysis/run_set.h"
#include "harness/codec/json_input.h"

namespace traceml {

// `arm` empty: the only one that is not hidden. Throws UsageError naming the place; without that
// arm, or with several to choose from, it lists them.
StoredRun read_run_json(const JsonPlace& top, const std::string& path, const std::string& arm);

}  // namespace traceml
