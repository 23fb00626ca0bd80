#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/timeline_events.h"
#include "harness/core/units.h"

namespace traceml {

// Bytes of a collective as nccl-tests counts its size (doc/PERFORMANCE.md there): the larger buffer
// of a rank. nullopt where elements or type are not told.
std::optional<std::int64_t> collective_bytes(const CollectiveFacts& facts);

// 10^9 bytes a second that each link carried: bytes / time times 2 (n - 1) / n for an all-reduce,
// (n - 1) / n for all-gather, reduce-scatter and all-to-all, 1 for broadcast and reduce. nullopt
// for others, for one rank and for a time that is none.
std::optional<double> bus_bandwidth(std::string_view operation, std::int64_t bytes, Seconds time,
                                    int ranks);

// Whether every rank needs something of every other: all leave it at about the same time.
bool is_symmetric(std::string_view operation);

// "allreduce" of "ncclDevKernel_AllReduce_Sum_f32_RING_LL": for kernels without other facts. Empty
// where the name does not tell.
std::string operation_in_kernel(std::string_view kernel);

}  // namespace traceml
