#include "harness/reports/rank_trace_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/codec/shareable_text.h"
#include "harness/reports/figures.h"
#include "harness/reports/table.h"
#include "harness/reports/text.h"
#include "harness/reports/trace_rows.h"
#include "harness/reports/trace_text.h"

namespace traceml {
namespace {

std::string in_us(Nanos time) {
  return fixed(static_cast<double>(time.count()) / 1e3, 1);
}

std::string bare_ms_of(std::optional<double> ns) {
  return ns ? bare_ms(Millis{*ns / 1e6}, 3) : kNull;
}

std::vector<std::string> mover_row(const Mover& mover) {
  const auto change = mover.change_ns();
  return {mover.name,
          bare_ms_of(mover.before_ns),
          bare_ms_of(mover.after_ns),
          change ? signed_ms(Millis{*change / 1e6}) : kNull,
          bare_ms_of(mover.noise_ns),
          mover.moved ? "moved" : kNull,
          mover.shape.empty() ? kNull : mover.shape};
}

Table mover_table(const TraceComparison& comparison, const std::string& title,
                  const std::vector<Mover>& movers, std::size_t most) {
  Table table;
  table.title = title;
  table.caption = fmt::format(
      "ms per step, means over {} steps before and {} after; device clock unless it says host; "
      "noise: what the spread over steps lets a mean change by (Welch's t, 5 % over all rows)",
      comparison.steps_before, comparison.steps_after);
  table.columns = {
      {"name", true, 0, true}, {"before"}, {"after"}, {"change"}, {"noise"}, {"", true},
      {"launch shape", true}};
  for (const Mover& mover : movers) {
    if (table.rows.size() < most) table.rows.push_back(mover_row(mover));
  }
  if (movers.size() > table.rows.size()) {
    table.remarks.push_back(
        fmt::format("({} more in the JSON)", movers.size() - table.rows.size()));
  }
  const bool shapes = std::any_of(movers.begin(), movers.end(),
                                  [](const Mover& mover) { return !mover.shape.empty(); });
  if (shapes) return table;
  table.columns.pop_back();
  for (auto& row : table.rows) row.pop_back();
  return table;
}

std::string lines_of(const std::vector<std::string>& remarks, int columns) {
  std::string text;
  for (const std::string& remark : remarks) {
    for (const std::string& line : wrapped(plain_text(remark), "- ", columns)) text += line + "\n";
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace

Table rank_wait_table(const RankTraces& ranks) {
  Table table;
  table.title = "Ranks";
  table.caption = fmt::format(
      "over {} collectives that all have; ms, device clock of the first rank: waited from its own "
      "start to the latest; last: came last by more than the clocks' error, and what the others "
      "waited for it then. clock: against the first rank's, us",
      grouped(static_cast<std::int64_t>(ranks.pairs.size())));
  table.columns = {{"rank", true},       {"clock\noffset"}, {"clock\nerror"},
                   {"waited\n(itself)"}, {"came\nlast"},    {"others\nwaited"}};
  for (std::size_t i = 0; i < ranks.clocks.size(); ++i) {
    const RankClock& clock = ranks.clocks[i];
    const bool known = i < ranks.ranks.size();
    table.rows.push_back({std::to_string(clock.rank), in_us(clock.offset),
                          clock.error ? in_us(*clock.error) : kNull,
                          known ? bare_trace_ms(ranks.ranks[i].wait) : kNull,
                          known ? grouped(ranks.ranks[i].last) : kNull,
                          known ? bare_trace_ms(ranks.ranks[i].caused) : kNull});
  }
  return table;
}

Table collective_table(const RankTraces& ranks) {
  Table table;
  table.title = "Collectives";
  table.caption =
      "means, us, device clock of the first rank; wire: least duration over ranks; skew: "
      "latest minus earliest; bus bandwidth of the wire time as nccl-tests counts it, "
      "GB = 10^9 bytes; MB = 10^6";
  table.columns = {{"operation", true}, {"MB"},       {"count"},   {"wire"},
                   {"start skew"},      {"end skew"}, {"bus GB/s"}};
  for (const OperationFigures& one : ranks.operations) {
    table.rows.push_back(
        {one.operation, one.bytes ? fixed(static_cast<double>(*one.bytes) / 1e6, 3) : kNull,
         grouped(one.count), in_us(one.wire), in_us(one.start_skew), in_us(one.end_skew),
         one.bus_gb_per_s ? fixed(*one.bus_gb_per_s, 2) : kNull});
  }
  return table;
}

Table total_mover_table(const TraceComparison& comparison) {
  return mover_table(comparison, "Per step", comparison.totals, comparison.totals.size());
}

Table kernel_mover_table(const TraceComparison& comparison, std::size_t most_rows) {
  return mover_table(comparison, "Kernels that moved, then the rest by change", comparison.kernels,
                     most_rows);
}

std::string render_ranks(const RankTraces& ranks, const TerminalStyle& style) {
  const int columns = std::max(style.columns, 80);
  std::string page = draw_table(rank_wait_table(ranks), columns) + "\n";
  if (!ranks.operations.empty()) page += draw_table(collective_table(ranks), columns) + "\n";
  page += lines_of(ranks.remarks, columns);
  return page + render_findings(ranks.findings, {}, columns);
}

std::string render_against(const TraceComparison& comparison, std::size_t most_rows,
                           const TerminalStyle& style) {
  const int columns = std::max(style.columns, 80);
  std::string page;
  const std::string head = "against " + path_without_folders(comparison.before_file);
  for (const std::string& line : wrapped(plain_text(head), "", columns)) page += line + "\n";
  page += "\n";
  if (!comparison.totals.empty()) {
    page += draw_table(total_mover_table(comparison), columns) + "\n";
  }
  if (!comparison.kernels.empty()) {
    page += draw_table(kernel_mover_table(comparison, most_rows), columns) + "\n";
  }
  return page + lines_of(comparison.remarks, columns);
}

}  // namespace traceml
