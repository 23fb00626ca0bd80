#pragma once

namespace traceml {

// What this thread did while `on`.
struct CallCounts {
  bool on = false;
  int allocations = 0;  // operator new
  int locks = 0;        // pthread_mutex_lock
};
CallCounts& call_counts();

}  // namespace traceml
