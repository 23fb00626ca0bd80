#include "workloads/input/loader_cores.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "harness/core/error.h"

namespace traceml {

namespace {

constexpr std::size_t kKeptFree = 2;         // of each rank
constexpr std::size_t kFewestToPart = 4;     // cores of each rank
constexpr std::size_t kCoresInAMask = 1024;  // in steps of so many

// A mask for any core number.
class CoreMask {
 public:
  explicit CoreMask(const std::vector<int>& cores)
      : masks_(static_cast<std::size_t>(cores.back()) / kCoresInAMask + 1) {
    for (const int core : cores) CPU_SET_S(static_cast<std::size_t>(core), bytes(), masks_.data());
  }
  std::size_t bytes() const { return masks_.size() * sizeof(cpu_set_t); }
  const cpu_set_t* get() const { return masks_.data(); }

 private:
  std::vector<cpu_set_t> masks_;
};

void bind(std::vector<std::thread>& threads, const std::vector<int>& cores) {
  const CoreMask mask(cores);
  for (std::thread& thread : threads) {
    const int error = pthread_setaffinity_np(thread.native_handle(), mask.bytes(), mask.get());
    if (error == 0) continue;
    throw RunError(fmt::format("input workers cannot be bound to the cores {}: {}",
                               core_list(cores), std::strerror(error)));
  }
}

// 0, or why the first thread was refused.
int give_way(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) {
    const sched_param none{};
    const int error = pthread_setschedparam(thread.native_handle(), SCHED_BATCH, &none);
    if (error != 0) return error;
  }
  return 0;
}

}  // namespace

LoaderCores loader_cores(const std::vector<int>& allowed, int ranks) {
  const auto sharing = static_cast<std::size_t>(std::max(ranks, 1));
  if (allowed.size() < kFewestToPart * sharing) return {allowed, {}};
  const auto border = allowed.end() - static_cast<std::ptrdiff_t>(kKeptFree * sharing);
  return {{allowed.begin(), border}, {border, allowed.end()}};
}

std::string core_list(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t first = 0; first < cores.size();) {
    std::size_t last = first;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cores[first]);
    if (last > first) text += fmt::format("-{}", cores[last]);
    first = last + 1;
  }
  return text;
}

std::string place_loader_threads(std::vector<std::thread>& threads, const LoaderCores& cores) {
  if (!cores.loaders.empty()) bind(threads, cores.loaders);
  const int refused = give_way(threads);
  return fmt::format(
      "{}{}, {}", cores.loaders.empty() ? "on any core" : "on cores " + core_list(cores.loaders),
      cores.kept_free.empty() ? ", none kept free"
                              : fmt::format(", {} kept free", core_list(cores.kept_free)),
      refused == 0 ? "batch priority"
                   : fmt::format("usual priority (SCHED_BATCH: {})", std::strerror(refused)));
}

}  // namespace traceml
