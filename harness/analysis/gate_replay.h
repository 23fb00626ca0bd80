#pragma once
// The looks of a campaign, played again in order: every gate closes at the first look at which it
// has a verdict and its windows so far are steady (docs/statistics.md, 2.6, 2.10 and 2.12).

#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/block_pairs.h"
#include "harness/analysis/step_times.h"
#include "harness/analysis/steps_over_time.h"
#include "harness/analysis/validity.h"
#include "harness/analysis/verdict.h"
#include "harness/core/campaign.h"

namespace traceml {

// Looks up to max_blocks (launches, of pooled records), which is one itself; ascending.
std::vector<int> looks_of(const CampaignFacts& facts);

GateRule rule_of(const CampaignFacts& facts, const GateSpec& gate);

// What is known of a gate after some blocks.
struct GateEvaluation {
  std::span<const BlockPair> blocks;        // looked at, voided ones included
  std::vector<PairDifference> differences;  // of the valid ones; one a launch of pooled records
  std::optional<Estimate> estimate;
  std::optional<Judgement> judgement;
  std::vector<Finding> findings;  // against any verdict
  Outcome outcome = Outcome::kInconclusive;
  bool by_holm = false;  // fails at a later step of Holm's procedure only

  // not_steady alone stands between the gate and a verdict.
  bool waits_for_steadiness() const;
};

struct GateState {
  GatePairs pairs;
  GateEvaluation evaluation;    // of the closing look, else of the last look, else of all blocks
  int closed_at = 0;            // blocks or launches; 0: open
  std::vector<int> put_off;     // looks whose verdict waited for steady windows
  std::vector<GateLook> looks;  // that were taken

  bool hopeless() const;  // open, and more blocks cannot help
};

// What the given blocks, of those of `pairs`, say of the gate at the levels of `rule`.
GateEvaluation evaluate_gate(const CampaignFacts& facts, const GateSpec& gate, const GateRule& rule,
                             const GatePairs& pairs, const SlowestByArm& steps,
                             std::span<const BlockPair> blocks);

// One state per gate, in order. Looks after `up_to` blocks (launches) are not taken.
std::vector<GateState> replay_looks(const CampaignFacts& facts, const CampaignWindows& windows,
                                    const SlowestByArm& steps, int up_to);

}  // namespace traceml
