#pragma once
// The affinity mask of a process: the cores that the kernel lets it run on, however many there are.

#include <sys/types.h>

#include <vector>

namespace traceml {

// Sorted core numbers; empty where the kernel does not say. 0 is this process.
std::vector<int> cores_allowed_to(pid_t process);

// Of this process; at least 1.
int allowed_core_count();

// Every thread of this process, and those that they will start, keeps to `cores`. Throws RunError
// where the system refuses.
void allow_cores(const std::vector<int>& cores);

}  // namespace traceml
