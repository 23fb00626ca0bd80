#include "harness/analysis/step_times.h"

#include <algorithm>

namespace traceml {

namespace {

std::optional<Nanos> time_on(const StepRecord& step, Clock clock) {
  if (clock == Clock::kGpu && first_without_device_time(step)) return std::nullopt;
  const std::optional<std::int64_t> nanos = step_nanos(step, clock);
  return nanos ? std::optional(Nanos(*nanos)) : std::nullopt;
}

// Ascending; of two times of one step the first counts.
std::vector<SlowestStep> steps_of(const std::vector<StepTime>& times, ArmIndex arm) {
  std::vector<SlowestStep> steps;
  for (const StepTime& time : times) {
    if (time.arm == arm) steps.push_back({time.key, time.host, time.device});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const SlowestStep& a, const SlowestStep& b) { return a.key < b.key; });
  const auto same = [](const SlowestStep& a, const SlowestStep& b) { return a.key == b.key; };
  steps.erase(std::unique(steps.begin(), steps.end(), same), steps.end());
  return steps;
}

std::optional<Nanos> slower(std::optional<Nanos> a, std::optional<Nanos> b) {
  if (!a || !b) return std::nullopt;
  return std::max(*a, *b);
}

std::vector<SlowestStep> common(const std::vector<SlowestStep>& all,
                                const std::vector<SlowestStep>& rank) {
  std::vector<SlowestStep> steps;
  auto own = rank.begin();
  for (const SlowestStep& step : all) {
    while (own != rank.end() && own->key < step.key) ++own;
    if (own == rank.end()) break;
    if (own->key != step.key) continue;
    steps.push_back({step.key, slower(step.host, own->host), slower(step.device, own->device)});
  }
  return steps;
}

std::vector<WindowSeries> split_by_window(const std::vector<SlowestStep>& steps, Clock clock) {
  std::vector<WindowSeries> series;
  std::size_t begin = 0;
  while (begin < steps.size()) {
    std::size_t end = begin;
    WindowSeries window{steps[begin].key.window, {}};
    for (; end < steps.size() && steps[end].key.window == window.window; ++end) {
      const std::optional<Nanos>& time = clock == Clock::kGpu ? steps[end].device : steps[end].host;
      if (time) window.steps_ms.push_back(static_cast<double>(time->count()) / 1e6);
    }
    if (window.steps_ms.size() == end - begin) series.push_back(std::move(window));
    begin = end;
  }
  return series;
}

}  // namespace

std::vector<StepTime> step_times_of(const std::vector<StepRecord>& steps) {
  std::vector<StepTime> times;
  for (const StepRecord& step : steps) {
    if (!step.timed || !step.window) continue;
    times.push_back(
        {step.arm, key_of(step), time_on(step, Clock::kCpu), time_on(step, Clock::kGpu)});
  }
  return times;
}

TimesByRank step_times_of(const std::vector<const RankRecords*>& ranks) {
  TimesByRank times;
  for (const RankRecords* rank : ranks) {
    times.push_back(rank == nullptr ? std::vector<StepTime>{} : step_times_of(rank->steps));
  }
  return times;
}

SlowestByArm slowest_steps(const CampaignFacts& facts, const TimesByRank& ranks) {
  SlowestByArm arms(facts.arms.size());
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const ArmIndex arm{static_cast<int>(i)};
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      std::vector<SlowestStep> own = steps_of(ranks[rank], arm);
      arms[i] = rank == 0 ? std::move(own) : common(arms[i], own);
    }
  }
  return arms;
}

std::vector<WindowSeries> series_of(std::span<const SlowestStep> steps,
                                    std::span<const WindowIndex> windows) {
  std::vector<SlowestStep> own;
  for (const SlowestStep& step : steps) {
    if (std::binary_search(windows.begin(), windows.end(), step.key.window)) own.push_back(step);
  }
  const bool on_device = std::all_of(
      own.begin(), own.end(), [](const SlowestStep& step) { return step.device.has_value(); });
  return split_by_window(own, on_device ? Clock::kGpu : Clock::kCpu);
}

}  // namespace traceml
