#pragma once
// Which step of the run a workload is at. A workload hears of begins and steps only; their order
// is that of the runner.

#include <cstdint>
#include <optional>

#include "harness/core/ids.h"
#include "harness/plan/plan.h"

namespace traceml {

struct StepPlace {
  ArmIndex arm;
  std::optional<WindowIndex> window;  // nullopt: warm-up
  std::int64_t step = 0;              // since begin(): settle steps count
};

class StepCounter {
 public:
  explicit StepCounter(const CampaignFacts& facts)
      : warm_ups_(facts.warmup_steps == 0 ? 0 : static_cast<std::int64_t>(facts.arms.size())) {}

  // Workload::begin(): first the warm-up of each arm, then windows in order.
  void begin(ArmIndex arm) noexcept {
    next_ = {.arm = arm, .window = std::nullopt, .step = 0};
    if (begun_ >= warm_ups_) next_.window = WindowIndex{begun_ - warm_ups_};
    ++begun_;
  }

  StepPlace step() noexcept {
    const StepPlace place = next_;
    ++next_.step;
    return place;
  }

 private:
  std::int64_t warm_ups_;
  std::int64_t begun_ = 0;
  StepPlace next_;
};

}  // namespace traceml
