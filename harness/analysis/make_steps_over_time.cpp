#include "harness/analysis/make_steps_over_time.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/arm_rows.h"
#include "harness/analysis/launch_pool.h"
#include "harness/analysis/step_bins.h"

namespace traceml {

namespace {

// Null where a rank gave none, or no number.
std::optional<double> mean_loss(const BlockWindow& window,
                                std::optional<double> WindowRecord::*loss) {
  RangeOf losses;
  for (const WindowRecord* record : window.records) {
    if (record == nullptr || !(record->*loss)) return std::nullopt;
    losses.add(record->*loss);
  }
  const std::optional<Range> range = losses.range();
  return range && std::isfinite(range->mean) ? std::optional(range->mean) : std::nullopt;
}

RunWindow window_of(const BlockWindow& block, ArmIndex arm) {
  RunWindow window;
  window.window = block.window;
  window.arm = arm;
  window.block = block.block;
  window.order = block.order;
  window.steps = block.steps;
  window.wall = wall_per_step(block);
  window.void_reason = block.void_reason;
  RangeOf queue_start, queue_end;
  for (const WindowRecord* record : block.records) {
    if (record == nullptr) continue;
    queue_start.add(record->queue_start);
    queue_end.add(record->queue_end);
  }
  window.queue_start = queue_start.range();
  window.queue_end = queue_end.range();
  window.loss_first = mean_loss(block, &WindowRecord::loss_first);
  window.loss_last = mean_loss(block, &WindowRecord::loss_last);
  return window;
}

std::vector<RunWindow> windows_of(const CampaignWindows& windows) {
  std::vector<RunWindow> all;
  for (std::size_t arm = 0; arm < windows.arms.size(); ++arm) {
    for (const BlockWindow& block : windows.arms[arm]) {
      all.push_back(window_of(block, ArmIndex{static_cast<int>(arm)}));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const RunWindow& a, const RunWindow& b) { return a.window < b.window; });
  return all;
}

RunWindow* find(std::vector<RunWindow>& windows, WindowIndex wanted) {
  const auto found = std::lower_bound(
      windows.begin(), windows.end(), wanted,
      [](const RunWindow& window, WindowIndex index) { return window.window < index; });
  return found == windows.end() || found->window != wanted ? nullptr : &*found;
}

void add_memory(const RankRecords& rank, std::vector<RunWindow>& windows) {
  std::optional<WindowIndex> of;
  RunWindow* window = nullptr;  // steps of one window lie together: look it up once
  for (const StepRecord& step : rank.steps) {
    if (!step.window || !step.timed) continue;
    if (of != step.window) window = find(windows, *step.window);
    of = step.window;
    if (window == nullptr) continue;
    window->allocated_peak_bytes =
        std::max(window->allocated_peak_bytes, step.allocated_peak_bytes);
    window->reserved_peak_bytes = std::max(window->reserved_peak_bytes, step.reserved_peak_bytes);
  }
}

struct DeviceRanges {
  RangeOf sm_clock_mhz, power_w, temperature_c;
};

void add_devices(const std::vector<const RankRecords*>& ranks, std::vector<RunWindow>& windows) {
  std::vector<DeviceRanges> ranges(windows.size());
  for (const RankRecords* rank : ranks) {
    if (rank == nullptr) continue;
    for (const DeviceRecord& record : rank->devices) {
      RunWindow* window = find(windows, record.window);
      if (window == nullptr) continue;
      DeviceRanges& own = ranges[static_cast<std::size_t>(window - windows.data())];
      own.sm_clock_mhz.add(record.sm_clock_mhz);
      own.power_w.add(record.power_w);
      own.temperature_c.add(record.temperature_c);
      if (!record.throttle_reasons) continue;
      window->throttle_reasons = window->throttle_reasons.value_or(0) | *record.throttle_reasons;
    }
  }
  for (std::size_t i = 0; i < windows.size(); ++i) {
    windows[i].sm_clock_mhz = ranges[i].sm_clock_mhz.range();
    windows[i].power_w = ranges[i].power_w.range();
    windows[i].temperature_c = ranges[i].temperature_c.range();
  }
}

GateCourse gate_of(const CampaignFacts& facts, const GateSpec& gate, const GateState& state) {
  GateCourse course;
  course.looks = state.looks;
  for (const BlockPair& pair : state.pairs.pairs) {
    course.points.push_back({pair.candidate->block, log_ratio_of(pair, facts, gate),
                             pair.first() == RanFirst::kCandidate, pair.voided()});
  }
  return course;
}

std::vector<ArmWindow> windows_of_arm(const std::vector<RunWindow>& windows, ArmIndex arm) {
  std::vector<ArmWindow> own;
  for (std::size_t place = 0; place < windows.size(); ++place) {
    if (windows[place].arm != arm || windows[place].steps <= 0) continue;
    own.push_back({windows[place].window, place, windows[place].steps});
  }
  return own;
}

bool has_steps(const ArmRows& rows) {
  return std::any_of(rows.timed.begin(), rows.timed.end(),
                     [](const RankRows& rank) { return !rank.rows.empty(); });
}

}  // namespace

StepsOverTime make_steps_over_time(const CampaignFacts& facts,
                                   const std::vector<const RankRecords*>& ranks,
                                   const CampaignWindows& windows,
                                   const std::vector<GateState>& gates,
                                   const std::vector<std::optional<Clock>>& clocks) {
  StepsOverTime result;
  result.windows = windows_of(windows);
  for (const RankRecords* rank : ranks) {
    if (rank != nullptr) add_memory(*rank, result.windows);
  }
  add_devices(ranks, result.windows);
  for (std::size_t i = 0; i < gates.size(); ++i) {
    result.gates.push_back(gate_of(facts, facts.gates[i], gates[i]));
  }
  std::vector<Rank> world;
  for (int rank = 0; rank < facts.world_size; ++rank) world.push_back({rank});
  std::vector<ArmRows> rows = rows_of_arms(facts, ranks, windows);
  const auto arms = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), has_steps));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!has_steps(rows[i]) || !clocks[i]) continue;
    const ArmIndex arm{static_cast<int>(i)};
    const AlignedRows aligned = align_rows(world, std::move(rows[i].timed));
    result.arms.push_back(bin_steps(aligned, windows_of_arm(result.windows, arm),
                                    facts.settle_steps, *clocks[i],
                                    bins_for(aligned.ranks.size(), arms)));
    result.arms.back().arm = arm;
  }
  return result;
}

}  // namespace traceml
