#pragma once
// How a gate is written: the table of its keys, and the rules of which go together.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/plan/config.h"

namespace traceml {

// A gate while its keys are read. Absent keys are nullopt.
struct GateDraft {
  std::optional<std::string> compare, against, on;
  std::optional<double> min_fraction, max_regression, max_overhead;
  std::optional<Instrument> overhead_of;
  std::optional<bool> inconclusive_passes;
  std::optional<int> escalate_after;
  std::optional<std::string> stored;  // against: {stored: ...}
  std::optional<std::vector<std::string>> treatment;
  std::optional<double> reference_margin;
  std::optional<bool> confirm_on_fail;
};

struct GateKey {
  std::string name;  // "max_regression"
  std::string help;
  std::string form;
  std::string inside;  // "against": written in a map that is the value of that key
  bool list = false;   // its text is a list in flow form
  // What is wrong with the text ("is 'x'; allowed: ..."), or nullopt and it is set.
  std::function<std::optional<std::string>(GateDraft&, const std::string& text)> set;
  std::function<std::optional<std::string>(const GateDraft&)> get;  // nullopt: absent
};

const std::vector<GateKey>& gate_keys();

// nullptr: no such key there. `inside` as in GateKey; empty: the gate itself.
const GateKey* find_gate_key(const std::string& name, const std::string& inside = "");

// The software that `treatment` may name: the fields of a fingerprint that may be judged.
const std::vector<std::string>& treatment_fields();

// Throws UsageError, opening with `where`, for keys that do not go together. Margins left out are
// those of statistics 2.5: max_regression 2 %, max_overhead 1 %.
GateConfig finish_gate(const GateDraft& draft, const std::string& where);

// The keys of a gate: finish_gate() gives it back.
GateDraft draft_of(const GateConfig& gate);

}  // namespace traceml
