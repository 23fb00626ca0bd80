#pragma once

#include <cstdint>
#include <optional>
#include <string>
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

// What makes timings worthless: environment variables, an attached tracer, a sanitizer build. One
// short text each.
std::vector<std::string> probe_distortions();

}  // namespace traceml
