#pragma once

#include <string>

namespace traceml {

// Makes the folder of a run and in it `inside`: raw/, or launches/ of a campaign. `wanted` empty:
// results/<name>-<time>, with a number behind it where that is taken; otherwise exactly `wanted`,
// which must be new or empty. A link results/latest points to the newest default one. Throws
// UsageError for a folder that holds something, RunError where it cannot be made.
std::string make_results_dir(const std::string& wanted, const std::string& name,
                             const std::string& utc_time, const std::string& inside = "raw");

// Takes back what make_results_dir() made, where nothing that was measured lies in it: raw/ with
// all that it holds, hosts.json and, unless `keep_folder`, the folder, if it is empty then.
// `latest` points to the newest of those that remain. Throws nothing.
void discard_results_dir(const std::string& dir, bool keep_folder) noexcept;

// "2026-11-29T18:15:00Z"
std::string utc_now();

}  // namespace traceml
