#include "harness/runner/allowed_cores.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace traceml {

std::vector<int> cores_allowed_to(pid_t process) {
  constexpr std::size_t kMasks = 16;  // of 1,024 cores each; a shorter mask than the kernel's fails
  std::array<cpu_set_t, kMasks> masks{};
  if (sched_getaffinity(process, sizeof(masks), masks.data()) != 0) return {};
  std::vector<int> cores;
  for (int core = 0; core < static_cast<int>(kMasks) * CPU_SETSIZE; ++core) {
    if (CPU_ISSET_S(static_cast<std::size_t>(core), sizeof(masks), masks.data())) {
      cores.push_back(core);
    }
  }
  return cores;
}

int allowed_core_count() {
  return std::max(1, static_cast<int>(cores_allowed_to(0).size()));
}

}  // namespace traceml
