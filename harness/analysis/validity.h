#pragma once
// Why a gate can have no verdict, as far as raw records tell (docs/statistics.md, 2.9 to 2.11).

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/arm_summary.h"
#include "harness/analysis/block_pairs.h"
#include "harness/analysis/outcome.h"
#include "harness/analysis/verdict.h"
#include "harness/core/campaign.h"

namespace traceml {

struct Finding {
  Reason reason = Reason::kTooFewUnits;
  std::string why;  // one sentence with its arithmetic
};

// Fewer valid pairs than this never reach a verdict.
inline constexpr int kFewestUnits = 6;

// What the window records of the blocks looked at, and the plan, say against a verdict.
std::vector<Finding> window_findings(const CampaignFacts& facts, const GateSpec& gate,
                                     const GatePairs& gate_pairs,
                                     std::span<const BlockPair> blocks);

// What the step records say of the reference: reference_invalid, reference_unchecked. All valid
// windows count, also those of blocks after the gate closed.
std::optional<Finding> reference_finding(const CampaignFacts& facts, const GateSpec& gate,
                                         const ArmAnalysis& reference);

// not_steady, if the windows say so.
std::optional<Finding> steadiness_finding(const CampaignFacts& facts, const GateSpec& gate,
                                          std::span<const WindowSeries> candidate,
                                          std::span<const WindowSeries> baseline);

// Why an interval that holds the margin decides nothing: interference_suspected if the
// Hodges-Lehmann interval of the same level would decide, then wide_interval or borderline.
std::vector<Finding> indecision_findings(const GateSpec& gate, const GateRule& rule,
                                         const Judgement& judgement,
                                         std::span<const double> log_ratios);

// The headline first; in the order in which they were found where the reason is the same.
void sort_by_precedence(std::vector<Finding>& findings);

// Whether more blocks cannot remove it.
bool is_permanent(Reason reason);

}  // namespace traceml
