#pragma once
// What an earlier run's run.json says of its gates.

#include <map>
#include <optional>
#include <string>

#include "harness/analysis/outcome.h"

namespace traceml {

struct PastRun {
  std::string name;         // of its config
  std::string created_utc;  // "2026-11-29T18:15:00Z": sorts by time
  bool finished = false;
  std::map<std::string, bool> undecided;  // gate -> no verdict, of its own figures
};

// nullopt where there is no run.json, or none that can be read.
std::optional<PastRun> read_past_run(const std::string& dir);

}  // namespace traceml
