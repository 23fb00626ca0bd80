#pragma once

#include <time.h>

namespace traceml {

// Processor time of the calling thread in microseconds: other work on the machine does not count.
inline double thread_cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

}  // namespace traceml
