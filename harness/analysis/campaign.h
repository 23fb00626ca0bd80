#pragma once

#include <vector>

#include "harness/analysis/step_times.h"
#include "harness/analysis/stored_baseline.h"
#include "harness/analysis/summary.h"
#include "harness/analysis/validity.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// What the stored gates of a campaign of launches are held against.
struct AgainstStored {
  CampaignRecord candidate;               // the campaign itself
  std::vector<PinnedBaseline> baselines;  // by CampaignFacts::stored_gates
};

// Judges every gate and derives every table from the raw records of a run, complete or not. Pure:
// the same records give the same summary, bit for bit. `ranks` may lack ranks or windows; gates
// that need them are inconclusive. Stored gates come behind the others, where `stored` is given.
CampaignSummary summarize_campaign(const CampaignFacts& facts,
                                   const std::vector<RankRecords>& ranks,
                                   const AgainstStored* stored = nullptr);

// Escalates gates that give no verdict run after run, then sets the verdict of the whole from that
// of its gates.
void judge_overall(CampaignSummary& summary);

// What forbids a verdict on the campaign itself, whatever it is held against, by
// CampaignFacts::stored_gates.
std::vector<std::vector<Finding>> findings_of_stored_gates(const CampaignFacts& facts,
                                                           const std::vector<RankRecords>& ranks);

// Whether a gate counts as passed: by its verdict, or by `inconclusive: pass` where nothing but the
// spread of its times keeps it from one. What makes the run itself invalid never passes (2.6).
bool counts_as_pass(const GateResult& gate);

// What the runner asks at a look (CampaignFacts::looks): which gates and which settings of a sweep
// are closed, and so which arms still run.
struct LookDecision {
  std::vector<GateResult> gates;
  bool stop = false;                  // all of them closed, or no further look
  std::vector<ArmIndex> arms_needed;  // of later blocks; empty when `stop`
};

// `done` counts blocks (launches, of pooled records) and must be one of looks_of().
LookDecision decide_at_look(const CampaignFacts& facts, const std::vector<RankRecords>& ranks,
                            int done);

// The same from what ranks send before a look: their window records and, by rank, their step times.
LookDecision decide_at_look(const CampaignFacts& facts, const std::vector<RankRecords>& windows_of,
                            const TimesByRank& steps_of, int done);

}  // namespace traceml
