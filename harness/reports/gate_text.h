#pragma once
// A gate in words: the same in every report form. Raw text, escaped by the form.

#include <optional>
#include <string>
#include <vector>

#include "harness/reports/report_input.h"
#include "harness/reports/table.h"

namespace traceml {

struct GateText {
  std::string outcome;   // "PASS", "FAIL", "INCONCLUSIVE"
  std::string name;      // "shipped against reference"
  std::string estimate;  // "97.8 % of input-free throughput", "+3.1 % wall per step"
  std::string interval;  // "[97.1, 98.4]"
  std::string margin;    // "needs > 95 %", "allows < 2 %"
  std::string scope;     // "10 blocks", "6 launches of 4 blocks"
  // Empty where there is nothing to say.
  std::string stored;              // which campaigns, what they can see, the guard
  std::string why;                 // INCONCLUSIVE: "wide_interval: ..."
  std::string where;               // FAIL: "where: input_wait +1.20 ms; ..."
  std::string input;               // FAIL: what the candidate's input pipeline is held up by
  std::string outside_step;        // the wall per step and the step disagree
  std::string per_rank;            // overhead gates
  std::string differs;             // "differ in input.workers: 8 against 4"
  bool counts_as_pass = false;     // PASS, or INCONCLUSIVE where the config lets it pass
  bool counts_as_failure = false;  // FAIL, or INCONCLUSIVE where the config says that it fails

  // "+3.1 % wall per step [+2.4, +3.8], allows < 2 %, 10 blocks".
  std::string figures() const;

  // Those that are not empty, in the order in which a reader wants them.
  std::vector<std::string> sentences() const;
};

std::string word_of(Outcome outcome);  // "PASS"

// "+3.1 [+2.4, +3.8]", in % of the baseline's wall per step; a dash without an estimate.
std::string change_of(const GateResult& gate);

// FAIL, INCONCLUSIVE, PASS: as gate_texts() has them.
std::vector<const GateResult*> worst_first(const CampaignSummary& summary);

// Of all gates, those that need a reader first: FAIL, INCONCLUSIVE, PASS.
std::vector<GateText> gate_texts(const ReportInput& input);

// What holds for the estimates of all gates: clock, reduction, level, scope.
std::string gates_basis(const CampaignFacts& facts);

// How sure each gate is: interval at 90 %, pair sd, order effect, what could have been detected.
// nullopt where no gate has an estimate.
std::optional<Table> gate_statistics(const ReportInput& input);

}  // namespace traceml
