#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/plan/plan.h"

namespace traceml {

namespace {

// SplitMix64 (Steele, Lea, Flood 2014). Own code, so that a seed means the same order everywhere.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    return mix(state_);
  }

  // Uniform in [0, n), without modulo bias.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t rejected = (0 - n) % n;  // 2^64 mod n
    std::uint64_t draw = next();
    while (draw < rejected) draw = next();
    return draw % n;
  }

 private:
  std::uint64_t state_;
};

// All arms of the campaign in the order of a pair of blocks; arms left out later do not change the
// order of the others.
std::vector<ArmIndex> order_of_pair(const CampaignFacts& facts, int pair) {
  std::vector<ArmIndex> order;
  for (int arm = 0; arm < static_cast<int>(facts.arms.size()); ++arm) order.push_back({arm});
  SplitMix64 random(mix(facts.seed) + mix(static_cast<std::uint64_t>(pair) + 1));
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
  }
  return order;
}

}  // namespace

std::uint64_t seed_of_launch(std::uint64_t seed, int launch) {
  return mix(mix(seed) + static_cast<std::uint64_t>(launch));
}

std::vector<PlannedWindow> make_block(const CampaignFacts& facts, int block,
                                      const std::vector<ArmIndex>& arms, WindowIndex first) {
  std::vector<ArmIndex> order = order_of_pair(facts, block / 2);
  std::erase_if(
      order, [&](ArmIndex arm) { return std::find(arms.begin(), arms.end(), arm) == arms.end(); });
  if (block % 2 == 1) std::reverse(order.begin(), order.end());
  std::vector<PlannedWindow> windows;
  for (const ArmIndex arm : order) {
    PlannedWindow window;
    window.index = {first.value + static_cast<std::int64_t>(windows.size())};
    window.arm = arm;
    window.block = block;
    window.order = static_cast<int>(windows.size());
    window.first_batch = (facts.settle_steps + facts.steps_per_window) * block;
    windows.push_back(window);
  }
  return windows;
}

}  // namespace traceml
