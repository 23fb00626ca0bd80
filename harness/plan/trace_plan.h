#pragma once
// Which steps of which arm are traced, after all that is measured. The words are those of
// torch.profiler.schedule. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/plan/config.h"

namespace traceml {

enum class TraceAction {
  kSkip,    // before the first cycle: tracing off
  kWait,    // tracing off
  kWarmup,  // tracing on, its records are thrown away
  kActive   // kept
};

// Steps in a row of one action.
struct TraceStretch {
  TraceAction action = TraceAction::kSkip;
  int cycle = 0;  // 0 of kSkip
  std::int64_t first = 0, count = 0;
};

struct TracePlan {
  ArmIndex arm;
  TraceConfig schedule;

  std::int64_t steps() const;  // of the traced window
  std::int64_t longest_stretch() const;
  std::vector<TraceStretch> stretches() const;  // without empty ones
};

const char* name_of(TraceAction action);

// nullopt: nothing is traced. Throws UsageError for an arm that is not there or cannot be traced.
// `notes` gets a sentence for what weakens the trace.
std::optional<TracePlan> trace_plan_of(const Config& config, const CampaignFacts& facts,
                                       std::vector<std::string>* notes);

// For `check`: what each step of the traced window is for; empty without a trace.
std::string trace_section(const std::optional<TracePlan>& plan, const CampaignFacts& facts);

}  // namespace traceml
