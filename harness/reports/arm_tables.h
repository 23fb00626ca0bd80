#pragma once

#include <optional>
#include <vector>

#include "harness/reports/report_input.h"
#include "harness/reports/table.h"

namespace traceml {

// Time per step, throughput, fraction of the reference, distribution and long waits of each arm.
Table arm_table(const CampaignSummary& summary);

// Mean and share of each phase, each arm on its one clock; nullopt where no arm has phase times.
std::optional<Table> phase_table(const CampaignSummary& summary);

// One line a bucket of gradients; nullopt where no arm has records of its exchange.
std::optional<Table> all_reduce_table(const CampaignSummary& summary);

// Only arms whose ranks differ by more than 2 % of a step, or that have a straggler; nullopt where
// there are none.
std::optional<Table> rank_table(const CampaignSummary& summary);

}  // namespace traceml
