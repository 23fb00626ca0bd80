#pragma once
// One window of the two-clock contract: its steps, its one clock, its means (docs/clocks.md, rules
// 1 and 2).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/step_rows.h"
#include "harness/analysis/summary.h"

namespace traceml {

inline constexpr std::array<Clock, 2> kClocks = {Clock::kCpu, Clock::kGpu};

constexpr std::size_t index_of(Clock clock) {
  return static_cast<std::size_t>(clock);
}

// What the phases make of the envelope, on one clock.
struct EnvelopeSplit {
  std::optional<Millis> compute;   // forward + loss + backward + optimizer
  std::optional<Millis> residual;  // traced - decode - h2d - normalize - compute, floored per step
  std::int64_t clamped_steps = 0;  // steps that were floored; 0 where residual is null
};

struct RankWindow {
  Rank rank;
  std::int64_t covered_steps = 0;  // with a device time for each phase that occurred
  StepFigures figures;
  std::array<EnvelopeSplit, 2> split;  // by index_of(Clock)
};

struct WindowFigures {
  std::vector<StepKey> steps;
  std::vector<StepGap> gaps;
  std::vector<Rank> missing;
  Clock clock = Clock::kCpu;
  std::string clock_why;          // empty for gpu
  std::vector<RankWindow> ranks;  // reporting ranks, ascending; null figures without common steps
  StepFigures global;             // means over ranks; all null where a rank is missing
  std::array<EnvelopeSplit, 2> global_split;
};

// "29/30".
std::string coverage_of(const WindowFigures& window, const RankWindow& rank);

WindowFigures analyze_window(const AlignedRows& rows);

// align_rows, then the figures.
WindowFigures analyze_window(std::span<const Rank> expected, std::vector<RankRows> ranks);

// Step time of each common step, max over ranks, in ms; null where a rank lacks it on this clock.
std::vector<std::optional<double>> slowest_rank_ms(const AlignedRows& rows, Clock clock);

// The figure of `phase` on `clock`; null where it never occurred or was not measured.
std::optional<Millis> figure_of(const StepFigures& figures, Phase phase, Clock clock);

// step_cpu or step_gpu.
std::optional<Millis> step_of(const StepFigures& figures, Clock clock);

}  // namespace traceml
