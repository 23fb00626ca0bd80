#pragma once
// Gates against stored campaigns: where their baselines come from, and what is said before and
// after the verdict.

#include <map>
#include <string>

#include "harness/analysis/stored_baseline.h"
#include "harness/analysis/summary.h"
#include "harness/plan/plan.h"

namespace traceml {

// By the name of the store in the config. Empty without stored gates. Throws RunError as
// read_store().
std::map<std::string, PinnedBaseline> read_pinned(const Plan& plan);

// "OUT/baselines.json".
std::string baselines_file(const std::string& out);

// What each stored gate can see, a line each, from the stored campaigns alone; empty without such
// gates.
std::string stored_power_text(const Plan& plan,
                              const std::map<std::string, PinnedBaseline>& baselines);

// The command lines that add this campaign to stores that lack campaigns or a pin, a line each.
// `stores`: by the name in the config, as they are to be typed.
std::string baseline_add_text(const CampaignSummary& summary,
                              const std::map<std::string, std::string>& stores,
                              const std::string& out);

// The folders of the stores of a config that was read from its file.
std::map<std::string, std::string> store_paths(const Config& config);

}  // namespace traceml
