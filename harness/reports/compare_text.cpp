#include "harness/reports/compare_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/reports/figures.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/table.h"
#include "harness/reports/text.h"
#include "harness/reports/words.h"

namespace traceml {
namespace {

constexpr const char* kIndent = "      ";

std::string_view words_for(Figure figure) {
  switch (figure) {
    case Figure::kWall:
      return "wall per step";
    case Figure::kStepGpu:
      return "step, device clock";
    case Figure::kStepCpu:
      break;
  }
  return "step, host clock";
}

std::string change(std::optional<double> theta) {
  return theta ? signed_percent(std::expm1(*theta), 2) + " %" : kNull;
}

std::string interval_text(const Interval& interval) {
  return fmt::format("[{}, {}]", signed_percent(std::expm1(interval.lower), 2),
                     signed_percent(std::expm1(interval.upper), 2));
}

std::optional<Millis> millis(std::optional<double> value) {
  return value ? std::optional(Millis{*value}) : std::nullopt;
}

Table pair_table(const RunSetComparison& comparison) {
  Table table;
  table.rest_in = "a wider terminal";
  table.title = "pairs";
  table.caption = fmt::format("{} in ms, max over ranks", figure_words(comparison));
  if (*comparison.figure == Figure::kWall) table.caption += " (host clock)";
  if (comparison.per_image) table.caption += ", of one image";
  table.columns = {{"baseline", true, 0, true},
                   {"candidate", true, 0, true},
                   {"baseline", false, 0, false},
                   {"candidate", false, 0, false},
                   {"change", false, 0, false}};
  for (const RunPair& pair : comparison.pairs) {
    table.rows.push_back({pair.baseline, pair.candidate, bare_ms(millis(pair.baseline_ms), 3),
                          bare_ms(millis(pair.candidate_ms), 3), change(pair.log_ratio)});
  }
  return table;
}

// What the largest row hides; nullopt where there is nothing to hide.
std::optional<Table> mean_table(const CompareInput& input) {
  const auto one_rank = [](const StoredRun& run) { return run.world_size <= 1; };
  if (std::all_of(input.baseline.begin(), input.baseline.end(), one_rank)) return std::nullopt;
  Table table;
  table.rest_in = "a wider terminal";
  table.title = "pairs, mean over ranks";
  table.caption = fmt::format("{} in ms; not judged", figure_words(input.comparison));
  table.columns = {{"baseline", true, 0, true},
                   {"candidate", true, 0, true},
                   {"baseline", false, 0, false},
                   {"candidate", false, 0, false}};
  for (const RunPair& pair : input.comparison.pairs) {
    if (!pair.baseline_mean_ms || !pair.candidate_mean_ms) continue;
    table.rows.push_back({pair.baseline, pair.candidate, bare_ms(millis(pair.baseline_mean_ms), 3),
                          bare_ms(millis(pair.candidate_mean_ms), 3)});
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

Table phase_changes(const RunSetComparison& comparison) {
  Table table;
  table.rest_in = "a wider terminal";
  table.title = "phases";
  table.caption =
      fmt::format("ms per step, {}, mean over ranks and runs", clock_name(*comparison.phase_clock));
  table.columns = {{"phase", true, 0, false},
                   {"baseline", false, 0, false},
                   {"candidate", false, 0, false},
                   {"change", false, 0, false}};
  for (const PhaseChange& phase : comparison.phases) {
    table.rows.push_back({phase.phase, bare_ms(Millis{phase.baseline_ms}, 3),
                          bare_ms(Millis{phase.candidate_ms}, 3),
                          signed_ms(Millis{phase.candidate_ms - phase.baseline_ms})});
  }
  return table;
}

// "6 runs, TraceML, schema 1.9; first a.json".
std::string side_text(const std::vector<StoredRun>& runs) {
  const std::string count = runs.size() == 1 ? "1 run" : fmt::format("{} runs", runs.size());
  return fmt::format("{}: {} ({})", count, runs.front().label, runs.front().form) +
         (runs.size() == 1 ? "" : ", ...");
}

class ComparePage {
 public:
  ComparePage(const CompareInput& input, const TerminalStyle& style)
      : input_(input), columns_(std::max(style.columns, 40)), colour_(style.colour) {}

  std::string render() {
    add_verdict();
    add_sides();
    const RunSetComparison& comparison = input_.comparison;
    if (!comparison.pairs.empty()) page_ += draw_table(pair_table(comparison), columns_) + "\n";
    if (const auto means = mean_table(input_)) page_ += draw_table(*means, columns_) + "\n";
    if (!comparison.phases.empty()) page_ += draw_table(phase_changes(comparison), columns_) + "\n";
    for (const std::string& note : comparison.notes) add("- ", note);
    if (!comparison.notes.empty()) page_ += "\n";
    const std::string line = plain_text(render_compare_line(input_));
    const std::size_t word_end = std::min(line.find(" ("), line.size());
    page_ += coloured(line.substr(0, word_end)) + line.substr(word_end) + "\n";
    return page_;
  }

 private:
  std::string coloured(const std::string& word) const {
    return colour_ ? outcome_in_colour(word) : word;
  }

  void add(std::string_view first, const std::string& text) {
    for (const std::string& line : wrapped(plain_text(text), first, columns_)) page_ += line + "\n";
  }

  void add_verdict() {
    const CompareText text = compare_text(input_);
    page_ += coloured(word_of(input_.comparison.outcome)) + "  candidate against baseline\n";
    std::vector<std::string> figures = {text.estimate, text.interval, text.margin, text.scope};
    if (text.interval.empty()) figures.erase(figures.begin() + 1);
    add(kIndent, joined(figures, ", "));
    for (const std::string& sentence : text.sentences) add(kIndent, sentence);
    page_ += "\n";
  }

  void add_sides() {
    for (const auto& [label, fact] : compare_text(input_).facts) {
      add(fmt::format("{:<11}", label), fact);
    }
    page_ += "\n";
  }

  const CompareInput& input_;
  int columns_;
  bool colour_;
  std::string page_;
};

std::vector<std::string> sentences_of(const RunSetComparison& comparison) {
  std::vector<std::string> said;
  for (const Finding& finding : comparison.findings) {
    said.push_back(fmt::format("{}: {}", name_of(finding.reason), finding.why));
  }
  if (!comparison.outside_step.empty()) said.push_back(comparison.outside_step);
  for (const std::string& key : comparison.differences) said.push_back("differ in " + key);
  return said;
}

std::vector<std::pair<std::string, std::string>> facts_of(const CompareInput& input) {
  const RunSetComparison& comparison = input.comparison;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"baseline", side_text(input.baseline)}, {"candidate", side_text(input.candidate)}};
  if (comparison.figure) {
    facts.emplace_back("judged", figure_words(comparison) +
                                     ", max over ranks; mean log ratio over pairs, a run is the "
                                     "unit");
  }
  if (comparison.interval_90) {
    facts.emplace_back(
        "sure", fmt::format("90 % {}, sd of a pair {}, could have seen a change of {}",
                            interval_text(*comparison.interval_90), percent(comparison.pair_sd, 2),
                            percent(comparison.minimum_detectable, 2)));
  }
  if (comparison.step_theta) {
    facts.emplace_back("step", fmt::format("{} on the {}", change(comparison.step_theta),
                                           clock_name(*comparison.step_clock)));
  }
  return facts;
}

}  // namespace

std::string figure_words(const RunSetComparison& comparison) {
  if (!comparison.figure) return "step";
  return std::string(words_for(*comparison.figure)) + (comparison.per_image ? ", per image" : "");
}

CompareText compare_text(const CompareInput& input) {
  const RunSetComparison& comparison = input.comparison;
  CompareText text;
  text.estimate = comparison.theta
                      ? fmt::format("{} {}", change(comparison.theta), figure_words(comparison))
                      : "no estimate";
  if (comparison.theta && comparison.units < 2) text.estimate += " (advisory)";
  if (comparison.interval) text.interval = interval_text(*comparison.interval);
  text.margin = "allows < " + margin_percent(input.rule.delta);
  text.scope = fmt::format("{} pair{} of runs", comparison.units, comparison.units == 1 ? "" : "s");
  text.sentences = sentences_of(comparison);
  text.facts = facts_of(input);
  return text;
}

std::string render_compare_line(const CompareInput& input) {
  const RunSetComparison& comparison = input.comparison;
  std::string line =
      fmt::format("{} (exit {})", word_of(comparison.outcome), exit_code_of(comparison));
  if (!comparison.findings.empty()) {
    line += fmt::format(": {}", name_of(comparison.findings.front().reason));
  } else if (comparison.theta) {
    line += fmt::format(": {} {}", change(comparison.theta), figure_words(comparison));
  }
  return line;
}

std::string render_compare(const CompareInput& input, const TerminalStyle& style) {
  return ComparePage(input, style).render();
}

}  // namespace traceml
