#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/plan/environment.h"

namespace traceml {

// Facts of this machine and process for the fingerprint: processor, cores, kernel, compiler, build.
// Reads /proc; null facts are left out. `extra` (MPI, libtorch, device) is the caller's to add.
Environment probe_environment();

// Of this machine. Not for files that are meant to be shared.
std::string host_name();

// Memory that this process may use: the machine's, or the limit of its container where that is
// lower. nullopt where the kernel does not say.
std::optional<std::int64_t> memory_limit();

// The most that this process has held in memory so far (VmHWM). nullopt where the kernel does not
// say.
std::optional<std::int64_t> peak_memory();

// What it holds now (VmRSS).
std::optional<std::int64_t> memory_held();

// Those of these variables (name, value) that make timings worthless: "NAME=value", or "NAME (a
// profiler or sanitizer is attached)". Of two of one name the last counts.
std::vector<std::string> distortions_in(
    const std::vector<std::pair<std::string, std::string>>& variables);

// What makes timings worthless: environment variables, an attached tracer, a sanitizer build. One
// short text each.
std::vector<std::string> probe_distortions();

}  // namespace traceml
