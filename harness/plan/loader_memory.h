#pragma once
// What the loaders of a plan hold in host memory. Every arm owns its ring from the start of a run
// to its end.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/plan/plan.h"

namespace traceml {

// Of input.pin_copy: two that the consumer may hold, and one that waits or is being filled.
constexpr int kPinnedBatches = 3;

struct LoaderMemory {
  std::string arm;
  int workers = 0;
  std::int64_t slots = 0;  // batches read ahead, the batch in use and the one that follows it
  std::int64_t slot_bytes = 0;

  std::int64_t bytes() const;  // the largest integer where there are more
};

// One for each arm that reads files, of one rank.
std::vector<LoaderMemory> loaders_of(const Plan& plan);

// Of all arms of one rank.
std::int64_t loader_bytes(const Plan& plan);

// nullopt: the loaders of `ranks` ranks fit into a machine of `limit` bytes; else one sentence with
// both figures and the keys to change.
std::optional<std::string> loaders_exceed(const Plan& plan, int ranks, std::int64_t limit);

}  // namespace traceml
