#pragma once

#include <filesystem>

#include "harness/plan/config.h"

namespace traceml {

// Resolves each `dataset` as written to `dataset_path` and reduces an absolute one to its last
// part, which is what files that are shared may show; data sets of equal last parts become "food"
// and "food~2". `file_folder` is where relative ones start; those from "--set" start at the current
// folder, that is, stay as they are.
void resolve_datasets(Config* config, const std::filesystem::path& file_folder);

}  // namespace traceml
