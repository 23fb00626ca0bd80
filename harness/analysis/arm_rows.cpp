#include "harness/analysis/arm_rows.h"

#include <algorithm>

namespace traceml {

namespace {

bool holds(const std::vector<WindowIndex>& sorted, WindowIndex window) {
  return std::binary_search(sorted.begin(), sorted.end(), window);
}

// Where a step counts; the same for all steps of one arm and window.
enum class Place { kNowhere, kWarmup, kWindow };

}  // namespace

std::vector<WindowIndex> windows_with_steps(const std::vector<BlockWindow>& blocks) {
  int reporting = 0;
  if (!blocks.empty()) {
    for (std::size_t rank = 0; rank < blocks.front().records.size(); ++rank) {
      reporting += std::any_of(blocks.begin(), blocks.end(), [&](const BlockWindow& block) {
        return block.records[rank] != nullptr;
      });
    }
  }
  std::vector<WindowIndex> windows;
  for (const BlockWindow& block : blocks) {
    const bool whole = block.recorded == reporting && block.ranks_agree;
    if (whole && block.void_reason.empty()) windows.push_back(block.window);
  }
  std::sort(windows.begin(), windows.end());
  return windows;
}

std::vector<ArmRows> rows_of_arms(const CampaignFacts& facts,
                                  const std::vector<const RankRecords*>& ranks,
                                  const CampaignWindows& windows) {
  std::vector<std::vector<WindowIndex>> valid;
  for (const auto& blocks : windows.arms) valid.push_back(windows_with_steps(blocks));
  const auto place_of = [&](const StepRecord& step) {
    const auto arm = static_cast<std::size_t>(step.arm.value);
    if (step.arm.value < 0 || arm >= valid.size()) return Place::kNowhere;
    if (!step.window) return Place::kWarmup;
    return holds(valid[arm], *step.window) ? Place::kWindow : Place::kNowhere;
  };
  std::vector<ArmRows> arms(facts.arms.size());
  for (const RankRecords* records : ranks) {
    if (records == nullptr) continue;
    for (ArmRows& arm : arms) {
      arm.warmup.push_back({records->rank, {}});
      arm.timed.push_back({records->rank, {}});
    }
    const StepRecord* last = nullptr;  // steps of one window lie together: look its window up once
    Place place = Place::kNowhere;
    for (const StepRecord& step : records->steps) {
      if (last == nullptr || last->arm != step.arm || last->window != step.window) {
        place = place_of(step);
        last = &step;
      }
      if (place == Place::kNowhere) continue;
      ArmRows& arm = arms[static_cast<std::size_t>(step.arm.value)];
      if (place == Place::kWarmup) {
        arm.warmup.back().rows.push_back(&step);
      } else if (step.timed) {
        arm.timed.back().rows.push_back(&step);
      }
    }
  }
  return arms;
}

}  // namespace traceml
