#pragma once

#include <filesystem>

#include "harness/plan/config.h"

namespace traceml {

// Resolves each `dataset` as written to `dataset_path` and reduces an absolute one to its last
// part, which is what files that are shared may show; data sets of equal last parts become "food"
// and "food~2". `file_folder` is where relative ones start; those from "--set" start at the current
// folder, that is, stay as they are.
void resolve_datasets(Config* config, const std::filesystem::path& file_folder);

// Resolves each `working_directory` of a command to `working_path`: where none is written, and
// where a relative one starts, is the folder of the file; one from "--set" starts at the current
// folder.
void resolve_working_directories(Config* config, const std::filesystem::path& file_folder);

// Resolves the store of each gate to `stored_path` and reduces an absolute one to its last part.
// Throws UsageError where two stores would be shown as one.
void resolve_stores(Config* config, const std::filesystem::path& file_folder);

// The same of measure.noise_profile and its file; one from "--set" starts at the current folder.
void resolve_noise_profile(Config* config, const std::filesystem::path& file_folder);

}  // namespace traceml
