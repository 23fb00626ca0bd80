#pragma once

#include <string>
#include <vector>

#include "harness/plan/environment.h"

namespace traceml {

// Facts of this machine and process for the fingerprint: processor, cores, kernel, compiler, build.
// Reads /proc; null facts are left out. `extra` (MPI, libtorch, device) is the caller's to add.
Environment probe_environment();

// Cores that this process may run on.
int allowed_cores();

// What makes timings worthless: environment variables, an attached tracer, a sanitizer build. One
// short text each.
std::vector<std::string> probe_distortions();

}  // namespace traceml
