#include "harness/reports/history_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/reports/figures.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/series_chart.h"
#include "harness/reports/table.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

// Name of the n-th run whose fingerprint changed.
char letter_of(std::size_t n) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return n < kLetters.size() ? kLetters[n] : '*';
}

// Of each run; ' ' where nothing changed.
std::vector<char> marks_of(const RunSeries& series) {
  std::vector<char> marks;
  std::size_t changed = 0;
  for (const auto& changes : series.changes) {
    marks.push_back(changes.empty() ? ' ' : letter_of(changed++));
  }
  return marks;
}

std::string figure(const PastGate& gate, double value) {
  return gate.fraction ? fixed(value * 100, 2) : signed_percent(value, 2);
}

std::string interval_text(const PastGate& gate) {
  if (!gate.interval) return kNull;
  return fmt::format("[{}, {}]", figure(gate, gate.interval->lower),
                     figure(gate, gate.interval->upper));
}

char glyph_of(const SeriesPoint& point) {
  if (!point.not_counted.empty()) return '.';
  switch (point.gate.outcome) {
    case Outcome::kPass:
      return 'o';
    case Outcome::kFail:
      return 'X';
    case Outcome::kInconclusive:
      break;
  }
  return '?';
}

class HistoryPage {
 public:
  explicit HistoryPage(int columns) : columns_(columns) {}

  std::string take() { return std::move(page_); }

  void add_line(std::string_view first, const std::string& text) {
    for (const std::string& line : wrapped(plain_text(text), first, columns_)) page_ += line + "\n";
  }

  // `of_many`: there are other series, maybe of the same name.
  void add_creep(const RunSeries& series, const GateSeries& gate, bool of_many) {
    const std::string name =
        gate.name + (of_many ? fmt::format(", settings {}", series.runs.front().config_hash) : "");
    const char* word = !gate.creep ? "-" : gate.creep->proven ? "CREEP" : "none";
    add_line(fmt::format("{:<8}", word), name + ": " + creep_sentence(series, gate));
  }

  void add_series(const RunSeries& series) {
    const std::vector<PastReport>& runs = series.runs;
    const std::string days = minute_of(runs.front().created_utc).substr(0, 10) + " to " +
                             minute_of(runs.back().created_utc).substr(0, 10);
    page_ += "\n";
    add_line("",
             fmt::format("{}, settings {}: {} run{}, {}", runs.front().config,
                         runs.front().config_hash, runs.size(), runs.size() == 1 ? "" : "s", days));
    if (!series.other_settings.empty()) {
      add_line("  ", "other settings: " + changes_text(series.other_settings));
    }
    const std::vector<char> marks = marks_of(series);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (marks[i] == ' ') continue;
      add_line(fmt::format("  {}  ", marks[i]),
               fmt::format("run {}: {}", i + 1, changes_text(series.changes[i])));
    }
    for (const GateSeries& gate : series.gates) add_gate(series, gate, marks);
  }

 private:
  void add_gate(const RunSeries& series, const GateSeries& gate, const std::vector<char>& marks) {
    const PastGate& last = gate.points.back().gate;
    SeriesChart chart;
    for (const SeriesPoint& point : gate.points) {
      chart.points.push_back(
          {glyph_of(point), marks[point.run], point.gate.estimate, point.gate.interval});
    }
    chart.margin = last.margin;
    chart.label_of = [&](double value) { return figure(last, value) + " %"; };
    page_ += "\n";
    std::string title = fmt::format(
        "{}: {}, {}", gate.name,
        last.fraction ? "throughput in % of the baseline's" : "change of time in %",
        last.margin ? (last.fraction ? "needs > " : "allows < ") + margin_percent(*last.margin)
                    : "no margin");
    const std::size_t drawn = points_drawn(chart, columns_);
    if (drawn < gate.points.size()) {
      title += fmt::format("; the last {} of {} runs", drawn, gate.points.size());
    }
    add_line("", title);
    for (const std::string& line : draw_chart(chart, columns_)) page_ += line + "\n";
    page_ += draw_table(table_of(series, gate, marks), columns_);
  }

  static Table table_of(const RunSeries& series, const GateSeries& gate,
                        const std::vector<char>& marks) {
    Table table;
    table.title = "Runs";
    table.caption = "estimate and the interval that decides, in %.";
    table.rest_in = "--json";
    table.columns = {{"run"},
                     {"began", true, 0, false},
                     {"verdict", true, 0, false},
                     {"estimate"},
                     {"interval"},
                     {"changed", true, 0, false},
                     {"why", true, 1, false},
                     {"folder", true, 2, true}};
    for (const SeriesPoint& point : gate.points) {
      const PastReport& run = series.runs[point.run];
      const std::string reason = point.gate.reasons.empty() ? "" : point.gate.reasons.front();
      const bool same = point.not_counted.empty() || point.not_counted == reason;
      table.rows.push_back({std::to_string(point.run + 1), minute_of(run.created_utc),
                            word_of(point.gate.outcome),
                            point.gate.estimate ? figure(point.gate, *point.gate.estimate) : kNull,
                            interval_text(point.gate), std::string(1, marks[point.run]),
                            same ? reason : "not counted: " + point.not_counted, run.folder});
    }
    return table;
  }

  int columns_;
  std::string page_;
};

}  // namespace

std::string changes_text(const std::vector<FieldChange>& changes) {
  std::vector<std::string> parts;
  for (const FieldChange& one : changes) {
    parts.push_back(fmt::format("{} {} -> {}", one.field, one.from, one.to));
  }
  return joined(parts, "; ");
}

std::string minute_of(const std::string& utc) {
  std::string text = utc.substr(0, 16);
  std::replace(text.begin(), text.end(), 'T', ' ');
  return text;
}

std::string creep_sentence(const RunSeries& series, const GateSeries& gate) {
  if (!gate.creep) {
    const auto counted = std::count_if(gate.points.begin(), gate.points.end(),
                                       [](const auto& point) { return point.not_counted.empty(); });
    return fmt::format("{} runs count, and a trend needs {}", counted, kFewestRunsOfATrend);
  }
  const Creep& creep = *gate.creep;
  const auto change = [](double log, int decimals) {
    return signed_percent(std::expm1(log), decimals);
  };
  return fmt::format(
      "time {} % a run [{}, {}], {} % over the {} runs that count from run {} on; "
      "p {:.2g}, an alarm from {:.2g} down",
      change(creep.slope, 3), change(creep.slope_90.lower, 3), change(creep.slope_90.upper, 3),
      change(creep.total(), 2), creep.runs, series.anchor + 1, creep.p, creep.level);
}

std::string history_line(const std::vector<RunSeries>& history) {
  std::size_t runs = 0, gates = 0, creeping = 0;
  for (const RunSeries& series : history) {
    runs += series.runs.size();
    gates += series.gates.size();
    for (const GateSeries& gate : series.gates) creeping += gate.creep && gate.creep->proven;
  }
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  if (gates == 0) return fmt::format("NO GATES ({})", counted(runs, "run"));
  return fmt::format("{} ({} of {} over {})", creeping == 0 ? "NO CREEP" : "CREEP", creeping,
                     counted(gates, "gate"), counted(runs, "run"));
}

std::string render_history(const std::vector<RunSeries>& history, const LeftOut& left_out,
                           int columns) {
  HistoryPage page(columns);
  std::size_t runs = 0, gates = 0;
  for (const RunSeries& series : history) {
    runs += series.runs.size();
    gates += series.gates.size();
  }
  page.add_line("", fmt::format("{} run{} in {} series, {} left out. Creep: a slow rise over the "
                                "runs, whatever each gate says.",
                                runs, runs == 1 ? "" : "s", history.size(), left_out.size()));
  for (const RunSeries& series : history) {
    for (const GateSeries& gate : series.gates) page.add_creep(series, gate, history.size() > 1);
  }
  if (gates == 0) page.add_line("", "no run has a gate");
  for (const RunSeries& series : history) page.add_series(series);
  std::string text = page.take();
  HistoryPage rest(columns);
  if (gates > 0) {
    text += "\n";
    rest.add_line("",
                  "o pass, X fail, ? inconclusive, . not counted for creep; ::: the interval "
                  "that decides, --- the margin");
  }
  for (const auto& [folder, why] : left_out) rest.add_line("left out: ", why);
  return text + rest.take();
}

}  // namespace traceml
