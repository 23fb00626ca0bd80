#include "workloads/input/sample_order.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/input/random.h"

namespace traceml {

namespace {

constexpr int kRounds = 6;

// A permutation of [0, 4^half_bits): a balanced Feistel network.
std::uint64_t permute_power(std::uint64_t value, int half_bits, std::uint64_t key) {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  std::uint64_t left = value >> half_bits;
  std::uint64_t right = value & mask;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t mixed =
        mix_bits(key + kGoldenGamma * (right * kRounds + static_cast<std::uint64_t>(round) + 1));
    const std::uint64_t next = left ^ (mixed & mask);
    left = right;
    right = next;
  }
  return (left << half_bits) | right;
}

}  // namespace

SampleOrder::SampleOrder(std::uint64_t seed, std::int64_t images, std::int64_t batch, Rank rank,
                         int world_size)
    : seed_(seed),
      images_(images),
      batch_(batch),
      rank_(rank.value),
      world_size_(world_size),
      batches_per_epoch_(images / (batch * world_size)) {
  if (batches_per_epoch_ == 0) {
    throw UsageError(
        fmt::format("the data set has {} images, but workload.batch_size {} on {} rank{} takes {} "
                    "for one step; lower workload.batch_size or use a larger data set",
                    images, batch, world_size, world_size == 1 ? "" : "s", batch * world_size));
  }
  while ((std::int64_t{1} << (2 * half_bits_)) < images) ++half_bits_;
}

SamplePosition SampleOrder::position(std::int64_t batch, std::int64_t row) const {
  const std::int64_t in_epoch = batch % batches_per_epoch_;
  return {batch / batches_per_epoch_, (in_epoch * world_size_ + rank_) * batch_ + row};
}

std::int64_t SampleOrder::sample(SamplePosition at) const {
  const std::uint64_t key = join_keys(seed_, static_cast<std::uint64_t>(at.epoch));
  auto value = static_cast<std::uint64_t>(at.position);
  // Walking on until the value lies in the data set keeps the map a permutation.
  do {
    value = permute_power(value, half_bits_, key);
  } while (value >= static_cast<std::uint64_t>(images_));
  return static_cast<std::int64_t>(value);
}

SamplePosition SampleOrder::following(SamplePosition at) const {
  return {at.epoch, (at.position + 1) % images_};
}

}  // namespace traceml
