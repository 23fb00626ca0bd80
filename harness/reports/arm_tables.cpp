#include "harness/reports/arm_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/reports/clock_figures.h"
#include "harness/reports/figures.h"
#include "harness/reports/text.h"
#include "harness/reports/words.h"

namespace traceml {
namespace {

bool has_phases(const ArmSummary& arm) {
  return arm.clock.has_value() && !arm.global.phases.empty();
}

std::vector<std::string> arm_row(const ArmSummary& arm, int decimals) {
  const auto& steps = arm.step_distribution;
  const auto of_steps = [&](Millis Distribution::*figure) {
    return bare_ms(steps ? std::optional((*steps).*figure) : std::nullopt, decimals);
  };
  const auto images = arm.images_per_s;
  const std::string loss = arm.loss_first && arm.loss_last
                               ? fmt::format("{:#.3g} > {:#.3g}", *arm.loss_first, *arm.loss_last)
                               : kNull;
  return {arm.name,
          bare_ms(arm.wall_per_step, decimals),
          bare_ms(arm.global.step_cpu, decimals),
          bare_ms(arm.global.step_gpu, decimals),
          !images         ? kNull
          : *images < 100 ? fixed(*images, 1)
                          : grouped(std::llround(*images)),
          percent(arm.fraction_of_reference, 1),
          of_steps(&Distribution::median),
          of_steps(&Distribution::p95),
          of_steps(&Distribution::p99),
          of_steps(&Distribution::p5),
          of_steps(&Distribution::min),
          of_steps(&Distribution::max),
          arm.instrumented ? grouped(arm.long_waits.count) : kNull,
          arm.long_waits.count > 0 ? bare_ms(arm.long_waits.longest, 1) : kNull,
          std::to_string(arm.windows),
          loss,
          bare_ms(arm.first_batch, decimals),
          bare_ms(arm.first_step, decimals)};
}

// Rows of the phase table: a label and the figure of each arm.
class PhaseRows {
 public:
  explicit PhaseRows(const CampaignSummary& summary) {
    for (const ArmSummary& arm : summary.arms) {
      if (!has_phases(arm)) continue;
      arms_.push_back(&arm);
      largest_ = std::max(largest_, step_on(arm.global, *arm.clock).value_or(Millis{}));
    }
  }

  const std::vector<const ArmSummary*>& arms() const { return arms_; }

  template <typename Figure>
  void add(Table* table, const std::string& label, Figure figure, bool with_share) const {
    std::vector<std::string> row = {label};
    bool any = false;
    for (const ArmSummary* arm : arms_) {
      const std::optional<Millis> value = figure(*arm);
      const std::optional<Millis> step = step_on(arm->global, *arm->clock);
      any = any || value;
      row.push_back(bare_ms(value, decimals_for(largest_)));
      row.push_back(with_share && value && step ? percent(*value / *step, 1) : kNull);
    }
    if (any) table->rows.push_back(std::move(row));
  }

 private:
  std::vector<const ArmSummary*> arms_;
  Millis largest_{};
};

std::string clock_reasons(const std::vector<const ArmSummary*>& arms) {
  std::vector<std::string> reasons;
  for (const ArmSummary* arm : arms) {
    if (*arm->clock == Clock::kGpu || arm->clock_why.empty()) continue;
    const bool same_for_all = std::all_of(arms.begin(), arms.end(), [arm](const ArmSummary* other) {
      return other->clock_why == arm->clock_why;
    });
    if (same_for_all) return fmt::format("Host clock: {}.", arm->clock_why);
    reasons.push_back(fmt::format("{} on the host clock: {}", arm->name, arm->clock_why));
  }
  return reasons.empty() ? "" : joined(reasons, "; ") + ".";
}

}  // namespace

Table arm_table(const CampaignSummary& summary) {
  Table table;
  table.title = "Arms";
  table.caption = fmt::format(
      "ms per step. wall: host clock, max over ranks, mean of windows (judged). step: "
      "input_wait + traced, mean of ranks and steps. of ref.: throughput as a share of that with "
      "the matched input-free reference. p50, p95 and so on: steps, max over ranks, {}. first "
      "batch, first step: of warm-up, host clock, max over ranks.",
      clock_words(summary));
  table.columns = {{"arm", true, 0, true},
                   {"wall"},
                   {"step\nhost", false, 2, false},
                   {"step\ndevice", false, 3, false},
                   {"images/s"},
                   {"of\nref."},
                   {"p50", false, 7, false},
                   {"p95", false, 1, false},
                   {"p99", false, 6, false},
                   {"p5", false, 13, false},
                   {"min", false, 14, false},
                   {"max", false, 12, false},
                   {"waits\n> 5 ms", false, 4, false},
                   {"longest\nwait", false, 5, false},
                   {"windows", false, 10, false},
                   {"loss", false, 9, false},
                   {"first\nbatch", false, 11, false},
                   {"first\nstep", false, 8, false}};
  Millis largest{};
  for (const ArmSummary& arm : summary.arms) {
    largest = std::max(largest, arm.wall_per_step.value_or(Millis{}));
  }
  for (const ArmSummary& arm : summary.arms) {
    table.rows.push_back(arm_row(arm, decimals_for(largest)));
  }
  return table;
}

std::optional<Table> phase_table(const CampaignSummary& summary) {
  const PhaseRows rows(summary);
  if (rows.arms().empty()) return std::nullopt;
  Table table;
  const auto clock = clock_of_all(summary);
  table.title = "Phases";
  table.caption =
      fmt::format("mean of ranks and steps, ms, and share of the step, {}.", clock_words(summary));
  table.columns = {{"phase", true, 0, false}};
  bool any_device = false;
  for (const ArmSummary* arm : rows.arms()) {
    any_device = any_device || *arm->clock == Clock::kGpu;
    const std::string_view suffix = *arm->clock == Clock::kGpu ? ", device" : ", host";
    table.columns.push_back(
        {clock ? arm->name : fmt::format("{}{}", arm->name, suffix), false, 0, true});
    table.columns.push_back({"share", false, 1, false});
  }
  for (const Phase phase : kAllPhases) {
    if (phase == Phase::kTraced) continue;
    const auto on_its_clock = [phase](const ArmSummary& arm) {
      return phase_on(arm.global, phase, *arm.clock);
    };
    rows.add(&table, std::string(name_of(phase)), on_its_clock, true);
  }
  rows.add(
      &table, "residual", [](const ArmSummary& arm) { return arm.global.residual; }, true);
  rows.add(
      &table, "step", [](const ArmSummary& arm) { return step_on(arm.global, *arm.clock); }, true);
  rows.add(
      &table, "outside, host", [](const ArmSummary& arm) { return arm.global.outside; }, false);
  if (any_device) {
    rows.add(
        &table, "input_wait, host",
        [](const ArmSummary& arm) { return phase_on(arm.global, Phase::kInputWait, Clock::kCpu); },
        false);
    table.remarks.push_back(
        "input_wait on the device clock: how long the device stood idle for want of a batch; on "
        "the host clock: how long the training thread sat in next().");
  }
  const std::string reasons = clock_reasons(rows.arms());
  if (!reasons.empty()) table.remarks.push_back(reasons);
  return table;
}

}  // namespace traceml
