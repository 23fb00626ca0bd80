#pragma once
// confirm_on_fail (docs/statistics.md, 2.8): a gate on stored campaigns fails if two campaigns of
// one job fail, the second measured because the first did.

#include "harness/analysis/summary.h"

namespace traceml {

// Whether the gate failed and asks for a second measurement before that counts.
bool awaits_confirmation(const GateResult& gate);
bool awaits_confirmation(const CampaignSummary& summary);

// Each gate of `first` that awaits it: a failure where `second`, the summary of the second campaign
// by itself, has that gate fail as well; else INCONCLUSIVE (not_confirmed), never a pass. Null: the
// second one is not measured to its end yet, so nothing is confirmed. Other gates stay as they are.
void confirm_failures(const CampaignSummary* second, CampaignSummary& first);

}  // namespace traceml
