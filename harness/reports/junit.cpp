#include "harness/reports/junit.h"

#include <fmt/format.h>

#include <vector>

#include "harness/codec/gate_figures.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/scenario.h"
#include "harness/reports/sweep_report.h"
#include "harness/reports/terminal.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

// Everything that is known of a gate, a line each.
std::string details(const GateText& gate, const std::string& basis) {
  std::string lines = gate.outcome + ": " + xml_text(gate.figures()) + "\n";
  for (const std::string& sentence : gate.sentences()) {
    lines += xml_text(sentence) + "\n";
  }
  return lines + xml_text(basis) + "\n";
}

std::string open_case(const std::string& suite, const std::string& name) {
  return fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n", xml_text(suite),
                     xml_text(name));
}

std::string element(std::string_view name, const std::string& message) {
  return fmt::format("      <{} message=\"{}\"/>\n", name, xml_text(message));
}

// A regression, or a verdict that the config insists on and that is not there.
std::string failure(const GateText& gate) {
  const bool regression = gate.outcome == word_of(Outcome::kFail) && gate.why.empty();
  return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                     regression ? "regression" : "no_verdict",
                     xml_text((regression ? "" : gate.outcome + ": ") + gate.figures()),
                     xml_text(regression ? gate.where : gate.why));
}

std::string gate_case(const std::string& suite, const GateText& gate, const std::string& basis,
                      Counts* counts) {
  std::string text = open_case(suite, gate.name);
  ++counts->tests;
  if (gate.counts_as_failure) {
    ++counts->failures;
    text += failure(gate);
  } else if (!gate.counts_as_pass) {
    ++counts->skipped;
    text += element("skipped", "INCONCLUSIVE: " + gate.why);
  }
  text += fmt::format("      <system-out>{}</system-out>\n", details(gate, basis));
  return text + "    </testcase>\n";
}

std::string other_case(const std::string& suite, const std::string& name, std::string_view kind,
                       const std::string& message, int* count, Counts* counts) {
  ++counts->tests;
  ++*count;
  return open_case(suite, name) + element(kind, message) + "    </testcase>\n";
}

}  // namespace

std::string render_junit(const ReportInput& input) {
  const std::string& suite = input.plan.config.name;
  Counts counts;
  std::string cases;
  if (ended_early(input.info)) {
    cases += other_case(suite, "the run", "error", failure_sentence(input.info), &counts.errors,
                        &counts);
  }
  const std::string basis = gates_basis(input.plan.facts);
  for (const GateText& gate : gate_texts(input)) {
    cases += gate_case(suite, gate, basis, &counts);
  }
  if (input.summary.gates.empty() && input.summary.sweep) {
    cases += other_case(suite, "sweep", "skipped",
                        "the config has no gate; its sweep: " +
                            sweep_answer(*input.summary.sweep, input.plan.facts),
                        &counts.skipped, &counts);
  } else if (input.summary.gates.empty()) {
    cases += other_case(suite, "no gates", "skipped",
                        "the config has no gate: measured, not judged", &counts.skipped, &counts);
  }
  std::string planted;
  for (const auto& [label, line] : scenario(input)) {
    if (label == "planted") planted = "\n" + xml_text("planted: " + line);
  }
  const std::string numbers =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", counts.tests,
                  counts.failures, counts.errors, counts.skipped);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"traceml-bench\" {0}>\n"
      "  <testsuite name=\"{1}\" {0}>\n{2}    <system-out>{3}\n</system-out>\n  </testsuite>\n"
      "</testsuites>\n",
      numbers, xml_text(suite), cases, xml_text(render_verdict_line(input)) + planted);
}

}  // namespace traceml
