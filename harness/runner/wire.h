#pragma once
// What ranks send each other between blocks, as text. Decoders throw RunError for text that no
// encoder made.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/analysis/step_times.h"
#include "harness/core/ids.h"
#include "harness/core/records.h"

namespace traceml {

std::string encode_windows(const std::vector<WindowRecord>& windows);
std::vector<WindowRecord> decode_windows(const std::string& text);

std::string encode_step_times(const std::vector<StepTime>& steps);
std::vector<StepTime> decode_step_times(const std::string& text);

// What rank 0 decides at the end of a block.
struct BlockDecision {
  bool stop = false;
  std::string failure;         // why the run stops before its plan; empty otherwise. One line
  std::vector<ArmIndex> arms;  // of the next block
  friend bool operator==(const BlockDecision&, const BlockDecision&) = default;
};

std::string encode_decision(const BlockDecision& decision);
BlockDecision decode_decision(const std::string& text);

// Names without spaces.
std::string encode_counters(const std::map<std::string, std::int64_t>& counters);
std::map<std::string, std::int64_t> decode_counters(const std::string& text);

}  // namespace traceml
