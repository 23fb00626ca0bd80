#pragma once
// raw/run_info.json: all that a report needs beside the measured records.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/codec/run_id.h"
#include "harness/core/campaign.h"
#include "harness/plan/config.h"
#include "harness/plan/environment.h"

namespace traceml {

// More are refused: their tables alone would fill the memory.
inline constexpr int kMaxRanks = 100'000;

struct RunInfo {
  RunId run;  // the raw files of this run name it, too
  std::string tool_version;
  std::string created_utc;  // "2026-11-29T18:15:00Z"
  std::string config_text;  // canonical form of the resolved config (write_config)
  int world_size = 1;
  std::vector<int> nodes;  // of each rank, as node_alias() numbers them; empty: not known
  std::string device;      // "cpu", "cuda"
  std::string exchange;    // Collective::name()
  Environment environment;
  std::map<std::string, std::string> facts;      // Workload::facts() of rank 0
  std::map<std::string, std::int64_t> counters;  // sums over ranks
  std::map<std::string, std::string>
      equal_by_design;  // arm -> how its batch differs from its reference's by design
  std::map<std::string, std::int64_t>
      inconclusive_before;  // gate with escalate_after -> runs just before without a verdict
  std::vector<GateSpec> left_out_gates;  // the config has neither them nor the arm that they lack
  std::vector<std::string> distortions;
  std::vector<std::string> notes;  // sentences of the run: affinity warning, parameter digest, ...
  bool finished = false;           // false: the run ended before its plan
  std::string failure;             // the sentence, where it failed
};

// Throws RunError naming the file where it is torn, not of this schema or, unless accept_edited,
// was edited.
RunInfo read_run_info(const std::string& path, bool accept_edited = false);

// Atomically (atomic_file.h).
void write_run_info(const std::string& path, const RunInfo& info);

}  // namespace traceml
