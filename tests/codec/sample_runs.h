#pragma once
// Runs as the analysis would hand them to run.json and the reports, with plausible figures, made by
// hand.

#include <ostream>
#include <string>
#include <vector>

#include "harness/analysis/summary.h"
#include "harness/codec/run_info.h"
#include "harness/plan/plan.h"

namespace traceml::testing {

struct Sample {
  RunInfo info;
  Plan plan;
  CampaignSummary summary;

  ArmSummary& arm(const std::string& name);
  GateResult& gate(std::size_t index) { return summary.gates.at(index); }
};

// Two CPU ranks, arms reference, shipped and the hidden shipped/none; a fraction gate and an
// overhead gate, both passed.
Sample passed_run();
// The same, with a stored-style regression gate that failed for its input_wait.
Sample failed_run();
Sample inconclusive_run();
Sample run_without_gates();
// Rank 1 died: its records are missing, the run failed.
Sample run_with_missing_rank();
// Names that try to break out of a terminal, of XML and of Markdown.
Sample run_with_hostile_names();
// Device clock on 16 ranks, one recurring straggler, one arm without complete coverage.
Sample device_run();

// Six launches, pooled, against five stored campaigns: a ratio that fails under another commit, and
// a raw time without a verdict on another device.
Sample stored_run();

// A sweep of one knob with its answer and knee; and of a grid, with cheaper settings unresolved.
Sample swept_run();
Sample open_sweep();
// Two references, uint8 and float32, and four pipelines: one stalls every eighth step, one is cold.
Sample inputs_run();

struct NamedSample {
  std::string name;
  Sample (*make)();
};
inline void PrintTo(const NamedSample& sample, std::ostream* out) {
  *out << sample.name;
}

// All of the above, by the names of their golden folders.
const std::vector<NamedSample>& all_samples();

// Of `engines against shipped`, whose first arm cannot run.
GateResult left_out_gate();

}  // namespace traceml::testing
