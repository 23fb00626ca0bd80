#include "harness/analysis/arm_summary.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "harness/analysis/device_figures.h"
#include "harness/analysis/distribution.h"
#include "harness/analysis/launch_pool.h"
#include "harness/analysis/reference_fraction.h"
#include "harness/analysis/statistics.h"
#include "harness/analysis/text.h"
#include "harness/analysis/wait_rhythm.h"
#include "harness/analysis/warmup.h"

namespace traceml {

namespace {

using std::to_string;

std::vector<Rank> world_of(const CampaignFacts& facts) {
  std::vector<Rank> world;
  for (int rank = 0; rank < facts.world_size; ++rank) world.push_back({rank});
  return world;
}

bool holds(const std::vector<WindowIndex>& sorted, WindowIndex window) {
  return std::binary_search(sorted.begin(), sorted.end(), window);
}

LongWaits long_waits_of(const AlignedRows& rows) {
  LongWaits waits;
  std::vector<std::int64_t> intervals;
  for (const RankRows& rank : rows.ranks) {
    std::vector<StepKey> of_rank;
    for (const StepRecord* row : rank.rows) {
      const auto nanos = nanos_on(row->phases[index_of(Phase::kInputWait)], Clock::kCpu);
      if (!nanos || Nanos(*nanos) <= kLongWait) continue;
      ++waits.count;
      waits.total += Nanos(*nanos);
      waits.longest = std::max<Millis>(waits.longest, Nanos(*nanos));
      of_rank.push_back(key_of(*row));
    }
    const std::vector<std::int64_t> own = intervals_between(of_rank);
    intervals.insert(intervals.end(), own.begin(), own.end());
  }
  waits.rhythm = dominant_interval(intervals);
  return waits;
}

void fill_walls(const std::vector<BlockWindow>& blocks, ArmSummary& summary) {
  std::vector<double> walls;
  for (const BlockWindow& block : blocks) {
    if (!block.void_reason.empty()) ++summary.voided_windows;
    if (!block.valid()) continue;
    if (const auto wall = wall_per_step(block)) {
      walls.push_back(wall->count());
      summary.window_walls.push_back({block.block, block.steps, *wall});
    }
  }
  summary.windows = static_cast<std::int64_t>(walls.size());
  summary.outlier_windows = count_outliers(walls);
  summary.window_distribution = distribution_of(std::move(walls));
  if (summary.window_distribution) summary.wall_per_step = summary.window_distribution->mean;
}

// Mean of one loss over windows and ranks; null where one of them is no number.
template <typename Loss>
std::optional<double> mean_loss(const std::vector<BlockWindow>& blocks, Loss loss) {
  double sum = 0;
  int count = 0;
  for (const BlockWindow& block : blocks) {
    if (!block.valid()) continue;
    for (const WindowRecord* record : block.records) {
      const std::optional<double> value = loss(*record);
      if (!value) continue;
      sum += *value;
      ++count;
    }
  }
  if (count == 0 || !std::isfinite(sum)) return std::nullopt;
  return sum / count;
}

void fill_fractions(const CampaignFacts& facts, ArmIndex arm, const CampaignWindows& windows,
                    ArmSummary& summary) {
  const ArmFacts& own = facts.arms.at(static_cast<std::size_t>(arm.value));
  if (own.input_free || own.reference == arm) {
    summary.fraction_of_reference = 1.0;
  } else if (own.reference) {
    if (const auto fraction = fraction_of(facts, arm, *own.reference, windows)) {
      summary.fraction_of_reference = fraction->fraction;
      summary.fraction_interval = fraction->interval;
    }
  }
  const std::optional<ArmIndex> common = common_reference(facts);
  if (!common) return;
  if (*common == arm) {
    summary.of_common = FractionFigure{1.0, std::nullopt, 0};
  } else if (trains_alike(own, facts.arms.at(static_cast<std::size_t>(common->value)))) {
    summary.of_common = fraction_of(facts, arm, *common, windows);
  }
}

std::optional<Millis> own_wall(const std::vector<BlockWindow>& blocks, std::size_t rank,
                               const std::vector<WindowIndex>& valid) {
  Millis sum{};
  int count = 0;
  for (const BlockWindow& block : blocks) {
    if (!holds(valid, block.window)) continue;
    const auto wall = wall_per_step(block.records[rank]);
    if (!wall) continue;
    sum += *wall;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

void fill_ranks(const CampaignFacts& facts, const std::vector<BlockWindow>& blocks,
                const WindowFigures& figures, ArmSummary& summary) {
  const std::vector<WindowIndex> valid = windows_with_steps(blocks);
  auto next = figures.ranks.begin();
  for (const Rank rank : world_of(facts)) {
    RankFigures own;
    own.rank = rank;
    own.wall_per_step = own_wall(blocks, static_cast<std::size_t>(rank.value), valid);
    while (next != figures.ranks.end() && next->rank < rank) ++next;
    const bool has_steps = next != figures.ranks.end() && next->rank == rank;
    if (has_steps) {
      own.figures = next->figures;
      own.coverage = coverage_of(figures, *next);
    }
    if (own.wall_per_step || has_steps) summary.ranks.push_back(std::move(own));
  }
}

void fill_steps(const AlignedRows& rows, ArmAnalysis& arm) {
  arm.figures = analyze_window(rows);
  ArmSummary& summary = arm.summary;
  summary.clock = arm.figures.clock;
  summary.clock_why = arm.figures.clock_why;
  summary.global = arm.figures.global;
  summary.long_waits = long_waits_of(rows);
  if (!rows.missing.empty()) return;
  const auto slowest = slowest_rank_ms(rows, arm.figures.clock);
  std::vector<double> steps;
  for (const auto& step : slowest) {
    if (step) steps.push_back(*step);
  }
  if (steps.size() == slowest.size()) summary.step_distribution = distribution_of(std::move(steps));
}

// After fill_steps.
void fill_warmup(const CampaignFacts& facts, const AlignedRows& rows, ArmAnalysis& arm) {
  const FirstStep first = first_step_of(rows);
  arm.summary.first_batch = first.batch;
  arm.summary.first_step = first.step;
  arm.warmup_steps = static_cast<std::int64_t>(rows.steps.size());
  if (!rows.missing.empty() || !arm.summary.clock) return;
  std::vector<double> steps;
  for (const auto& step : slowest_rank_ms(rows, *arm.summary.clock)) {
    if (!step) return;
    steps.push_back(*step);
  }
  // Of pooled launches the first has the warm-up; the others' shifts are no end of it.
  std::span<const WindowSeries> windows = arm.series;
  if (facts.pooled) {
    const auto end = std::find_if(windows.begin(), windows.end(), [&](const WindowSeries& window) {
      return window.window.value >= windows_per_launch(facts);
    });
    windows = windows.first(static_cast<std::size_t>(end - windows.begin()));
  }
  arm.longer_warmup = longer_warmup(steps, windows, facts.period);
}

bool any_of(const std::vector<RankRows>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(),
                     [](const RankRows& rank) { return !rank.rows.empty(); });
}

}  // namespace

ArmAnalysis analyze_arm(const CampaignFacts& facts, ArmIndex arm, const CampaignWindows& windows,
                        ArmRows rows, std::vector<WindowSeries> series) {
  const ArmFacts& own = facts.arms.at(static_cast<std::size_t>(arm.value));
  const auto& blocks = windows.arms.at(static_cast<std::size_t>(arm.value));
  ArmAnalysis analysis;
  analysis.series = std::move(series);
  ArmSummary& summary = analysis.summary;
  summary.arm = arm;
  summary.name = own.name;
  summary.hidden = own.hidden;
  summary.instrumented = own.instrument != Instrument::kNone;
  fill_walls(blocks, summary);
  if (summary.wall_per_step && own.global_batch > 0) {
    summary.images_per_s =
        static_cast<double>(own.global_batch) / Seconds(*summary.wall_per_step).count();
  }
  fill_fractions(facts, arm, windows, summary);
  summary.memory = memory_figures_of(rows.timed);
  if (any_of(rows.timed)) fill_steps(align_rows(world_of(facts), std::move(rows.timed)), analysis);
  if (any_of(rows.warmup)) {
    fill_warmup(facts, align_rows(world_of(facts), std::move(rows.warmup)), analysis);
  }
  fill_ranks(facts, blocks, analysis.figures, summary);
  summary.loss_first = mean_loss(blocks, [](const WindowRecord& w) { return w.loss_first; });
  summary.loss_last = mean_loss(blocks, [](const WindowRecord& w) { return w.loss_last; });
  return analysis;
}

std::vector<std::string> warnings_of(const ArmAnalysis& arm,
                                     const std::vector<BlockWindow>& blocks) {
  const ArmSummary& summary = arm.summary;
  std::vector<std::string> warnings;
  for (const BlockWindow& block : blocks) {
    if (block.void_reason.empty()) continue;
    warnings.push_back(summary.name + ": window " + to_string(block.window.value) + " (block " +
                       to_string(block.block) + ") is void: " + block.void_reason);
  }
  if (summary.outlier_windows > 0) {
    warnings.push_back(summary.name + ": " + to_string(summary.outlier_windows) + " of " +
                       to_string(summary.windows) +
                       " windows lie outside Tukey's fences of 3 IQR (labelled, not dropped)");
  }
  if (summary.global.residual_clamped_steps > 0) {
    warnings.push_back(summary.name + ": on " + to_string(summary.global.residual_clamped_steps) +
                       " steps the phases add up to more than the traced envelope; the residual "
                       "is 0 there");
  }
  if (!arm.figures.gaps.empty()) {
    const StepGap& gap = arm.figures.gaps.front();
    warnings.push_back(summary.name + ": " + to_string(arm.figures.gaps.size()) +
                       " gaps in the recorded steps, the first in window " +
                       to_string(gap.window.value) + " at step " + to_string(gap.first.value) +
                       "; a step that one rank lacks is left out for all");
  }
  if (arm.longer_warmup) {
    const WarmupSuggestion& longer = *arm.longer_warmup;
    warnings.push_back(
        summary.name + ": MSER puts the end of the warm-up at step " + to_string(longer.steps) +
        (longer.at_least ? " or later" : "") + ", and " + to_string(arm.warmup_steps) +
        " were warm-up; the timed steps before it differ by " + signed_percent(longer.difference) +
        " from those after; try measure.warmup_steps: " + to_string(longer.steps));
  }
  if (summary.instrumented && !summary.clock && summary.windows > 0) {
    warnings.push_back(summary.name + ": no step was recorded in its valid windows");
  }
  for (std::string& warning : device_warnings(summary)) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace traceml
