#pragma once

#include <cstdint>

namespace traceml {

// Calls of operator new by this thread so far; counted in the program that links
// allocation_count.cpp.
std::int64_t allocations_of_this_thread();

// Of all threads.
std::int64_t allocations_of_this_process();

}  // namespace traceml
