#include "harness/reports/terminal.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/codec/gate_figures.h"
#include "harness/codec/hosts_file.h"
#include "harness/reports/arm_tables.h"
#include "harness/reports/command_text.h"
#include "harness/reports/device_table.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/input_table.h"
#include "harness/reports/pipeline_table.h"
#include "harness/reports/pooled_launch_table.h"
#include "harness/reports/scenario.h"
#include "harness/reports/sweep_report.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

// Of what stands below a gate's name where its line is too long.
const std::string kNarrowIndent(6, ' ');

// Where to look for a rank that others wait for.
std::vector<std::string> hosts_of_stragglers(const ReportInput& input) {
  std::vector<std::string> sentences;
  for (const Straggler& straggler : input.summary.stragglers) {
    const auto rank = static_cast<std::size_t>(straggler.rank.value);
    if (!straggler.recurring || rank >= input.info.nodes.size()) continue;
    const int node = input.info.nodes[rank];
    const Nodes& places = input.places;
    if (static_cast<std::size_t>(node) >= places.hosts.size()) continue;
    const std::string gpu = rank < places.gpus.size() ? places.gpus[rank] + " of " : "";
    const std::string sentence =
        fmt::format("Rank {} ran on {}{}, which files call {}.", rank, gpu,
                    places.hosts[static_cast<std::size_t>(node)], node_alias(node));
    if (sentences.empty() || sentences.back() != sentence) sentences.push_back(sentence);
  }
  return sentences;
}

class TerminalPage {
 public:
  TerminalPage(const ReportInput& input, const TerminalStyle& style)
      : input_(input), columns_(std::max(style.columns, 40)), colour_(style.colour) {}

  std::string render_gates() {
    add_gates();
    return page_;
  }

  std::string render() {
    add_failure();
    add_gates();
    add_sweep();
    add_scenario();
    add_sweep_tables();
    add_table(input_.summary.commands ? command_table(input_) : arm_table(input_.summary));
    if (const auto inputs = pipeline_table(input_)) add_table(*inputs);
    if (const std::string bars = pipeline_bars(input_, columns_); !bars.empty())
      page_ += bars + "\n";
    if (const auto phases = phase_table(input_.summary)) add_table(*phases);
    if (const auto loaders = input_table(input_)) add_table(*loaders);
    if (const auto exchange = all_reduce_table(input_.summary)) add_table(*exchange);
    if (const auto ranks = rank_table(input_.summary)) add_table(*ranks);
    if (const auto devices = device_table(input_)) add_table(*devices);
    if (const auto sure = gate_statistics(input_)) add_table(*sure);
    if (const auto launches = pooled_launch_table(input_)) add_table(*launches);
    add_trace();
    add_sentences("!", warnings_of(input_));
    add_sentences("-", hosts_of_stragglers(input_));
    add_sentences("-", notes_of(input_));
    add_last_line();
    return page_;
  }

 private:
  std::string coloured(const std::string& word) const {
    return colour_ ? outcome_in_colour(word) : word;
  }

  // `word` opens the first line and is coloured; `text` is cleaned and wrapped behind it.
  void add_wrapped(const std::string& word, std::string_view indent, const std::string& text) {
    const std::string first = word.empty() ? std::string(indent) : word + "  ";
    auto lines = wrapped(plain_text(text), first, columns_);
    if (!word.empty()) lines.front().replace(0, word.size(), coloured(word));
    for (const std::string& line : lines) page_ += line + "\n";
  }

  void add_failure() {
    if (!ended_early(input_.info)) return;
    add_wrapped("RUN FAILED", "", failure_sentence(input_.info));
    add_wrapped("", "",
                fmt::format("What follows comes from the {} that were finished.",
                            measured_units(input_.plan.facts)));
    page_ += "\n";
  }

  void add_gates() {
    if (input_.summary.gates.empty()) {
      if (input_.summary.sweep) return;
      add_wrapped("NO GATES", "", "the config has no gate: measured, not judged");
      page_ += "\n";
      return;
    }
    const std::vector<GateText> gates = gate_texts(input_);
    std::size_t word_width = 0;
    for (const GateText& gate : gates) word_width = std::max(word_width, gate.outcome.size());
    const std::string indent(word_width + 2, ' ');
    const bool one_line = std::all_of(gates.begin(), gates.end(), [&](const GateText& gate) {
      return width_of(indent + one_line_of(gate, gates)) <= columns_;
    });
    for (const GateText& gate : gates) add_gate(gate, gates, indent, one_line);
    add_wrapped("", "", gates_basis(input_.plan.facts));
    page_ += "\n";
  }

  void add_sweep() {
    if (!input_.summary.sweep) return;
    const SweepResult& sweep = *input_.summary.sweep;
    const CampaignFacts& facts = input_.plan.facts;
    const std::string word = sweep_word(sweep);
    add_wrapped(word, "", sweep_answer(sweep, facts));
    for (const std::string& sentence : sweep_sentences(sweep, facts)) {
      add_wrapped("", std::string(word.size() + 2, ' '), sentence);
    }
    add_wrapped("", "", sweep_basis(sweep, facts));
    page_ += "\n";
  }

  void add_sweep_tables() {
    if (!input_.summary.sweep) return;
    const SweepResult& sweep = *input_.summary.sweep;
    add_table(sweep_table(sweep, input_.summary, input_.plan.facts));
    if (const auto curve = curve_table(sweep, input_.summary)) add_table(*curve);
  }

  static std::string padded(const std::string& text, std::size_t width) {
    return text + std::string(width - std::min(width, std::size_t(width_of(text))), ' ');
  }

  // The gate's figures, in columns that line up with those of the other gates.
  static std::string figures_of_gate(const GateText& gate, const std::vector<GateText>& all) {
    const auto widest = [&](std::string GateText::*part) {
      std::size_t width = 0;
      for (const GateText& other : all) width = std::max(width, (other.*part).size());
      return width;
    };
    return padded(gate.estimate, widest(&GateText::estimate)) + "  " +
           padded(gate.interval, widest(&GateText::interval)) + "  " +
           padded(gate.margin, widest(&GateText::margin));
  }

  static std::string one_line_of(const GateText& gate, const std::vector<GateText>& all) {
    int width = 0;
    for (const GateText& other : all) width = std::max(width, width_of(plain_text(other.name)));
    return padded(plain_text(gate.name), std::size_t(width)) + "  " + figures_of_gate(gate, all) +
           "  " + gate.scope;
  }

  void add_gate(const GateText& gate, const std::vector<GateText>& all, const std::string& indent,
                bool one_line) {
    const std::string word =
        coloured(gate.outcome) + std::string(indent.size() - gate.outcome.size(), ' ');
    if (one_line) {
      page_ += word + one_line_of(gate, all) + "\n";
    } else {
      page_ += word + shortened(plain_text(gate.name), columns_ - int(indent.size())) + "\n";
      const std::string figures =
          kNarrowIndent + plain_text(figures_of_gate(gate, all)) + "  " + gate.scope;
      if (width_of(figures) <= columns_) {
        page_ += figures + "\n";
      } else {
        add_wrapped("", kNarrowIndent, gate.estimate);
        add_wrapped("", kNarrowIndent,
                    fmt::format("{}, {}, {}", gate.interval, gate.margin, gate.scope));
      }
    }
    for (const std::string& sentence : gate.sentences()) {
      add_wrapped("", one_line ? indent : kNarrowIndent, sentence);
    }
  }

  void add_scenario() {
    const Config& config = input_.plan.config;
    add_wrapped("", "", fmt::format("traceml-bench {}: {}", input_.info.tool_version, config.name));
    if (!config.question.empty()) add_wrapped("", "", config.question);
    for (const auto& [label, text] : scenario(input_)) {
      add_wrapped("", padded(label, 8), text);
    }
    page_ += "\n";
  }

  void add_trace() {
    if (input_.traces == nullptr) return;
    add_wrapped("", "", "Trace of a few steps (traceml-bench explain has all of it)");
    for (const auto& [label, text] : run_trace_facts(*input_.traces)) {
      add_wrapped("", padded(label, 10), text);
    }
    page_ += "\n";
  }

  void add_table(const Table& table) { page_ += draw_table(table, columns_) + "\n"; }

  void add_sentences(std::string_view mark, const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
      add_wrapped("", fmt::format("{} ", mark), sentence);
    }
    if (!sentences.empty()) page_ += "\n";
  }

  void add_last_line() {
    const std::string line = plain_text(render_verdict_line(input_));
    const std::size_t word_end = std::min(line.find(" ("), line.size());
    const std::string word = line.substr(0, word_end);
    const std::string dir = plain_text(input_.results_dir);
    auto lines = wrapped(line, "", columns_);
    lines.front().replace(0, word.size(), coloured(word));
    const bool beside = lines.size() == 1 && width_of(line) + 3 + width_of(dir) <= columns_;
    if (!dir.empty()) lines.back() += (beside ? "   " : "\n") + dir;
    for (const std::string& one : lines) page_ += one + "\n";
  }

  const ReportInput& input_;
  int columns_;
  bool colour_;
  std::string page_;
};

}  // namespace

std::string outcome_in_colour(const std::string& word) {
  const char* code = word.starts_with("PASS")                                     ? "1;38;5;33"
                     : word.starts_with("FAIL") || word.starts_with("RUN FAILED") ? "1;38;5;208"
                                                                                  : "1;38;5;140";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, word);
}

std::string render_gates(const ReportInput& input, const TerminalStyle& style) {
  return TerminalPage(input, style).render_gates();
}

std::string render_terminal(const ReportInput& input, const TerminalStyle& style) {
  return TerminalPage(input, style).render();
}

}  // namespace traceml
