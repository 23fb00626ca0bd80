#include "harness/reports/pipeline_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/reports/figures.h"
#include "harness/reports/pipeline_arms.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

std::string bracketed(const std::optional<Interval>& interval) {
  if (!interval) return kNull;
  return fmt::format("[{}, {}]", fixed(100 * interval->lower, 1), fixed(100 * interval->upper, 1));
}

// "8 (34/40)": 34 of 40 intervals are 8 steps long.
std::string rhythm_text(const ArmSummary& arm) {
  if (!arm.instrumented) return kNull;
  const auto& rhythm = arm.long_waits.rhythm;
  if (!rhythm) return "none";
  return fmt::format("{} ({}/{})", rhythm->steps, rhythm->intervals, rhythm->of);
}

bool is_cold(const PipelineArm& arm) {
  return arm.setting("input.cache") == "cold";
}

// Whether each arm's matched reference is the common one: then one column says all.
bool matched_is_common(const ReportInput& input, const std::vector<PipelineArm>& arms) {
  return std::all_of(arms.begin(), arms.end(), [&](const PipelineArm& arm) {
    return !arm.facts.reference || arm.facts.reference == input.summary.common_reference;
  });
}

std::string caption_of(const ReportInput& input, bool with_common, bool with_cache) {
  std::string common;
  if (with_common) {
    common = fmt::format(" of common: of that with {}, whatever its dtype.",
                         name_of_arm(input, input.summary.common_reference));
  }
  return fmt::format(
      "{}of matched: throughput as a share of that with the input-free reference of equal "
      "batches.{} intervals: in %, with the allowance between launches. wall: ms per step, host "
      "clock, max over ranks. wait, ms per step: in next() on the host clock; idle for want of a "
      "batch on the device clock. copy, ms per step: h2d, what the step waited for it. waits > 5 "
      "ms: for a batch, host clock, over ranks and steps; total and longest in ms; apart: 8 "
      "(34/38) "
      "where 34 of 38 such waits come 8 steps after the one before, none where no more than half "
      "do "
      "alike.",
      with_cache ? "cache: page cache before each read. " : "", common);
}

std::vector<Column> columns_of(bool with_common, bool with_cache) {
  std::vector<Column> columns = {{"arm", true, 0, true}};
  if (with_cache) columns.push_back({"cache", true, 0, false});
  columns.push_back({"of\nmatched", false, 0, false});
  columns.push_back({"90 %\ninterval", false, 0, false});
  if (with_common) {
    columns.push_back({"of\ncommon", false, 0, false});
    columns.push_back({"90 %\ninterval", false, 3, false});
  }
  for (Column column : std::vector<Column>{{"wall", false, 8, false},
                                           {"images/s", false, 9, false},
                                           {"wait\nhost", false, 1, false},
                                           {"wait\ndevice", false, 2, false},
                                           {"copy\nhost", false, 5, false},
                                           {"copy\ndevice", false, 4, false},
                                           {"waits\n> 5 ms", false, 0, false},
                                           {"waits\ntotal", false, 6, false},
                                           {"waits\nlongest", false, 7, false},
                                           {"waits\napart", false, 0, false}}) {
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string images_text(std::optional<double> images) {
  if (!images) return kNull;
  return *images < 100 ? fixed(*images, 1) : grouped(std::llround(*images));
}

std::vector<std::string> row_of(const PipelineArm& arm, bool with_common, bool with_cache,
                                int decimals) {
  const ArmSummary& summary = arm.summary;
  const LongWaits& waits = summary.long_waits;
  const PhaseFigure wait = arm.phase(Phase::kInputWait);
  const PhaseFigure copy = arm.phase(Phase::kH2d);
  std::vector<std::string> row = {summary.name};
  if (with_cache) row.emplace_back(arm.setting("input.cache"));
  row.push_back(percent(summary.fraction_of_reference, 1));
  row.push_back(bracketed(summary.fraction_interval));
  if (with_common) {
    const auto& common = summary.of_common;
    row.push_back(percent(common ? std::optional(common->fraction) : std::nullopt, 1));
    row.push_back(bracketed(common ? common->interval : std::nullopt));
  }
  for (std::string cell :
       {bare_ms(summary.wall_per_step, decimals), images_text(summary.images_per_s),
        bare_ms(wait.cpu, decimals), bare_ms(wait.gpu, decimals), bare_ms(copy.cpu, decimals),
        bare_ms(copy.gpu, decimals), summary.instrumented ? grouped(waits.count) : kNull,
        bare_ms(summary.instrumented ? std::optional(waits.total) : std::nullopt, 1),
        bare_ms(waits.count > 0 ? std::optional(waits.longest) : std::nullopt, 1),
        rhythm_text(summary)}) {
    row.push_back(std::move(cell));
  }
  return row;
}

std::optional<double> share_of(const PipelineArm& arm) {
  if (arm.summary.of_common) return arm.summary.of_common->fraction;
  return std::nullopt;
}

}  // namespace

std::optional<Table> pipeline_table(const ReportInput& input) {
  const std::vector<PipelineArm> arms = pipeline_arms(input);
  if (arms.empty()) return std::nullopt;
  const bool with_common =
      input.summary.common_reference.has_value() && !matched_is_common(input, arms);
  const bool with_cache = std::any_of(arms.begin(), arms.end(), is_cold);
  Table table;
  table.title = "Pipelines compared";
  table.caption = caption_of(input, with_common, with_cache);
  table.columns = columns_of(with_common, with_cache);
  Millis largest{};
  for (const PipelineArm& arm : arms) {
    largest = std::max(largest, arm.summary.wall_per_step.value_or(Millis{}));
  }
  for (const PipelineArm& arm : arms) {
    table.rows.push_back(row_of(arm, with_common, with_cache, decimals_for(largest)));
  }
  return table;
}

std::string pipeline_bars(const ReportInput& input, int columns) {
  constexpr int kFigure = 9;  // "  102.4 %"
  constexpr int kLeastBar = 10;
  int name_width = 0;
  double largest = 1;
  std::vector<PipelineArm> arms;
  for (const PipelineArm& arm : pipeline_arms(input)) {
    const auto share = share_of(arm);
    if (!share || !std::isfinite(*share)) continue;
    arms.push_back(arm);
    name_width = std::max(name_width, width_of(plain_text(arm.summary.name)));
    largest = std::max(largest, *share);
  }
  if (arms.size() < 2) return "";
  name_width = std::min(name_width, columns * 3 / 8);
  const int room = std::max(columns - name_width - 2 - kFigure, kLeastBar);
  const std::string head =
      fmt::format("Throughput as a share of that with {}:",
                  plain_text(name_of_arm(input, input.summary.common_reference)));
  std::string text;
  for (const std::string& line : wrapped(head, "", columns)) text += line + "\n";
  for (const PipelineArm& arm : arms) {
    const std::string name = shortened(plain_text(arm.summary.name), name_width);
    const double share = *share_of(arm);
    const auto filled = static_cast<std::size_t>(std::lround(room * share / largest));
    const auto whole = static_cast<std::size_t>(std::lround(room / largest));
    std::string bar(filled, '#');
    if (bar.size() < whole) bar.resize(whole, '.');
    bar.resize(static_cast<std::size_t>(room), ' ');
    text += name + std::string(static_cast<std::size_t>(name_width - width_of(name)), ' ') + "  " +
            bar + fmt::format("{:>{}}\n", percent(share, 1), kFigure);
  }
  return text;
}

}  // namespace traceml
