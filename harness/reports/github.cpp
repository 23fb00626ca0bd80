#include "harness/reports/github.h"

#include <fmt/format.h>

#include <iterator>

#include "harness/codec/gate_figures.h"
#include "harness/codec/shareable_text.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/scenario.h"
#include "harness/reports/terminal.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

// As the runner takes it apart again (escapeData and escapeProperty of actions/toolkit): of a
// message % and line breaks, of a property : and , as well.
std::string escaped(std::string_view text, std::string_view bytes) {
  std::string safe;
  for (const char byte : text) {
    if (bytes.find(byte) == std::string_view::npos) {
      safe.push_back(byte);
    } else {
      fmt::format_to(std::back_inserter(safe), "%{:02X}", static_cast<unsigned char>(byte));
    }
  }
  return safe;
}

// `lines` are a line each on the page of the run.
std::string command(std::string_view level, std::string_view title,
                    const std::vector<std::string>& lines) {
  std::vector<std::string> plain;
  for (const std::string& line : lines) {
    if (!line.empty()) plain.push_back(plain_text(without_folders(line)));
  }
  return fmt::format("::{} title={}::{}\n", level,
                     escaped(plain_text(without_folders(title)), "%\r\n:,"),
                     escaped(joined(plain, "\n"), "%\r\n"));
}

std::string gate_command(const Config& config, const GateText& gate) {
  if (gate.outcome == word_of(Outcome::kPass)) return "";
  const char* level = gate.counts_as_failure ? "error" : gate.counts_as_pass ? "notice" : "warning";
  std::vector<std::string> lines = {gate.figures()};
  for (const std::string& sentence : gate.sentences()) lines.push_back(sentence);
  return command(level, fmt::format("{}: {} {}", config.name, gate.outcome, gate.name), lines);
}

}  // namespace

std::string render_github_annotations(const ReportInput& input) {
  const Config& config = input.plan.config;
  std::string commands;
  if (ended_early(input.info)) {
    commands += command("error", config.name + ": RUN FAILED", {failure_sentence(input.info)});
  }
  for (const GateText& gate : gate_texts(input)) commands += gate_command(config, gate);
  return commands;
}

}  // namespace traceml
