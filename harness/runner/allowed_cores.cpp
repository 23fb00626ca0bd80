#include "harness/runner/allowed_cores.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

#include "harness/core/error.h"

namespace traceml {

namespace {

constexpr std::size_t kMasks = 16;  // of 1,024 cores each; a shorter mask than the kernel's fails
using Masks = std::array<cpu_set_t, kMasks>;

}  // namespace

std::vector<int> cores_allowed_to(pid_t process) {
  Masks masks{};
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

void allow_cores(const std::vector<int>& cores) {
  Masks masks{};
  for (const int core : cores) {
    CPU_SET_S(static_cast<std::size_t>(core), sizeof(masks), masks.data());
  }
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const pid_t thread = std::stoi(entry.path().filename().string());
    if (sched_setaffinity(thread, sizeof(masks), masks.data()) == 0) continue;
    if (errno == ESRCH) continue;  // it has ended
    throw RunError("sched_setaffinity failed: " + std::generic_category().message(errno) +
                   "; this process cannot keep to a part of its cores");
  }
}

}  // namespace traceml
