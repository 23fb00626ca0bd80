#include "harness/reports/markdown.h"

#include <fmt/format.h>

#include "harness/codec/gate_figures.h"
#include "harness/reports/arm_tables.h"
#include "harness/reports/command_text.h"
#include "harness/reports/device_table.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/input_table.h"
#include "harness/reports/pipeline_table.h"
#include "harness/reports/pooled_launch_table.h"
#include "harness/reports/scenario.h"
#include "harness/reports/sweep_report.h"
#include "harness/reports/terminal.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

std::string bullets(const std::string& title, const std::vector<std::string>& sentences) {
  if (sentences.empty()) return "";
  std::string text = fmt::format("### {}\n\n", title);
  for (const std::string& sentence : sentences) {
    text += fmt::format("- {}\n", markdown_text(sentence));
  }
  return text + "\n";
}

Table gate_table(const std::vector<GateText>& gates, const std::string& basis) {
  Table table;
  table.caption = basis;
  table.columns = {{"verdict", true, 0, false},
                   {"gate", true, 0, false},
                   {"estimate"},
                   {"interval, %"},
                   {"margin"},
                   {"measured", true, 0, false}};
  for (const GateText& gate : gates) {
    table.rows.push_back(
        {gate.outcome, gate.name, gate.estimate, gate.interval, gate.margin, gate.scope});
  }
  return table;
}

std::vector<std::string> gate_sentences(const std::vector<GateText>& gates) {
  std::vector<std::string> sentences;
  for (const GateText& gate : gates) {
    for (const std::string& sentence : gate.sentences()) {
      sentences.push_back(gate.name + ": " + sentence);
    }
  }
  return sentences;
}

std::string gates_section(const ReportInput& input) {
  if (input.summary.gates.empty()) {
    return input.summary.sweep ? "" : "The config has no gate: measured, not judged.\n\n";
  }
  const std::vector<GateText> gates = gate_texts(input);
  return markdown_table(gate_table(gates, gates_basis(input.plan.facts))) + "\n" +
         bullets("Why", gate_sentences(gates));
}

std::string sweep_section(const ReportInput& input) {
  if (!input.summary.sweep) return "";
  const SweepResult& sweep = *input.summary.sweep;
  const CampaignFacts& facts = input.plan.facts;
  std::string text = fmt::format("### Sweep\n\n**{}**: {}\n\n", sweep_word(sweep),
                                 markdown_text(sweep_answer(sweep, facts)));
  for (const std::string& sentence : sweep_sentences(sweep, facts)) {
    text += fmt::format("- {}\n", markdown_text(sentence));
  }
  text += fmt::format("\n{}\n\n", markdown_text(sweep_basis(sweep, facts)));
  text += markdown_table(sweep_table(sweep, input.summary, facts)) + "\n";
  if (const auto curve = curve_table(sweep, input.summary)) text += markdown_table(*curve) + "\n";
  return text;
}

std::string scenario_section(const ReportInput& input) {
  std::string text = "### Scenario\n\n";
  for (const auto& [label, line] : scenario(input)) {
    text += fmt::format("- **{}** {}\n", label, markdown_text(line));
  }
  return text + "\n";
}

std::string trace_section(const ReportInput& input) {
  if (input.traces == nullptr) return "";
  std::string text = "### Trace\n\n";
  for (const auto& [label, line] : run_trace_facts(*input.traces)) {
    text += fmt::format("- **{}** {}\n", label, markdown_text(line));
  }
  return text + "\n";
}

}  // namespace

std::string render_markdown(const ReportInput& input) {
  const Config& config = input.plan.config;
  std::string text = fmt::format("## {}\n\n**{}**\n\n", markdown_text(config.name),
                                 markdown_text(render_verdict_line(input)));
  if (!config.question.empty()) text += markdown_text(config.question) + "\n\n";
  if (ended_early(input.info)) {
    text += fmt::format(
        "**The run failed:** {}\n\nWhat follows comes from the {} that were finished.\n\n",
        markdown_text(failure_sentence(input.info)), measured_units(input.plan.facts));
  }
  text += gates_section(input);
  text += sweep_section(input);
  text += scenario_section(input);
  text += markdown_table(input.summary.commands ? command_table(input) : arm_table(input.summary)) +
          "\n";
  if (const auto inputs = pipeline_table(input)) text += markdown_table(*inputs) + "\n";
  if (const auto phases = phase_table(input.summary)) text += markdown_table(*phases) + "\n";
  if (const auto loaders = input_table(input)) text += markdown_table(*loaders) + "\n";
  if (const auto exchange = all_reduce_table(input.summary)) {
    text += markdown_table(*exchange) + "\n";
  }
  if (const auto ranks = rank_table(input.summary)) text += markdown_table(*ranks) + "\n";
  if (const auto devices = device_table(input)) text += markdown_table(*devices) + "\n";
  if (const auto sure = gate_statistics(input)) text += markdown_table(*sure) + "\n";
  if (const auto launches = pooled_launch_table(input)) text += markdown_table(*launches) + "\n";
  text += trace_section(input);
  text += bullets("Warnings", warnings_of(input));
  text += bullets("Notes", notes_of(input));
  text += fmt::format("traceml-bench {}\n", markdown_text(input.info.tool_version));
  return text;
}

}  // namespace traceml
