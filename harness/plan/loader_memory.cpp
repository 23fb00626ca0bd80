#include "harness/plan/loader_memory.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "harness/plan/arms.h"
#include "harness/plan/figures.h"

namespace traceml {

namespace {

constexpr std::int64_t kSlotsOfConsumer = 2;
constexpr std::int64_t kChannels = 3;

std::int64_t slot_bytes_of(const ArmConfig& arm) {
  constexpr std::int64_t kReadFile = 128 * 1024;  // of room for each
  if (arm.input.decode == Decode::kGpuNaive) return kReadFile * arm.workload.batch_size;
  const std::int64_t size = arm.workload.image_size;
  const std::int64_t value_bytes = arm.input.dtype == SampleType::kUint8 ? 1 : 4;
  return size * size * kChannels * value_bytes * arm.workload.batch_size;
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

// Of positive figures; kMost where there is no room for the result.
std::int64_t product(std::int64_t a, std::int64_t b) {
  return a > kMost / b ? kMost : a * b;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return a > kMost - b ? kMost : a + b;
}

}  // namespace

std::int64_t LoaderMemory::bytes() const {
  return product(slots, slot_bytes);
}

std::vector<LoaderMemory> loaders_of(const Plan& plan) {
  std::vector<LoaderMemory> loaders;
  for (std::size_t i = 0; i < plan.facts.arms.size(); ++i) {
    const ArmConfig& arm = plan.config.arms[i];
    // What is decoded by a GPU's threads lies in its memory.
    if (!reads_files(arm) || arm.input.decode == Decode::kGpu) continue;
    const std::int64_t read_ahead = std::max<std::int64_t>(1, plan.facts.arms[i].queue_capacity);
    // With a thread that copies, its batches are part of the queue, and that thread is the
    // consumer.
    loaders.push_back(
        {arm.name, arm.input.workers, read_ahead + kSlotsOfConsumer, slot_bytes_of(arm)});
  }
  return loaders;
}

std::int64_t loader_bytes(const Plan& plan) {
  std::int64_t total = 0;
  for (const LoaderMemory& loader : loaders_of(plan)) total = sum(total, loader.bytes());
  return total;
}

std::optional<std::string> loaders_exceed(const Plan& plan, int ranks, std::int64_t limit) {
  const std::int64_t bytes = product(loader_bytes(plan), ranks);
  if (bytes <= limit) return std::nullopt;
  return opening_for(plan.config, "input.prefetch") + "the loaders of " + std::to_string(ranks) +
         (ranks == 1 ? " rank" : " ranks") + " on this machine would hold " + bytes_figure(bytes) +
         " bytes, more than the " + bytes_figure(limit) +
         " of its memory; lower input.prefetch, workload.batch_size or the number of arms";
}

}  // namespace traceml
