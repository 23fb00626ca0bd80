#pragma once
// confirm_on_fail (docs/statistics.md, 2.8): a gate on stored campaigns fails if two campaigns of
// one job fail, the second measured because the first did.

#include <string>

#include "harness/analysis/summary.h"

namespace traceml {

// Whether the gate failed and asks for a second measurement before that counts.
bool awaits_confirmation(const GateResult& gate);
bool awaits_confirmation(const CampaignSummary& summary);

// Each gate of `first` that awaits it: a failure where `second`, the summary of the second campaign
// by itself, has that gate fail as well; else INCONCLUSIVE (not_confirmed), never a pass. Null: the
// second one is not there, so nothing is confirmed, and `absent` says why. Other gates stay as they
// are.
void confirm_failures(const CampaignSummary* second, CampaignSummary& first,
                      const std::string& absent = "the second is not measured yet");

}  // namespace traceml
