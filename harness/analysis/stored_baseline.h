#pragma once
// A campaign against campaigns that were stored on other days (docs/statistics.md, 2.8). The
// campaign is the unit: what differs between allocations is seen only between campaigns.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/statistics.h"
#include "harness/analysis/summary.h"
#include "harness/analysis/validity.h"
#include "harness/core/campaign.h"
#include "harness/core/units.h"

namespace traceml {

inline constexpr std::size_t kFewestCampaigns = 5;
inline constexpr std::size_t kFewestLaunchesOfACampaign = 3;

// One launch of one arm.
struct StoredLaunch {
  Millis wall{};  // per step, mean of its windows: host clock, max over ranks
  // ln(T / T_reference), order-adjusted mean over its blocks; null without a reference.
  std::optional<double> log_ratio;
};

struct StoredArm {
  std::string reference;                        // the matched input-free arm; empty: none
  std::map<std::string, std::string> settings;  // what the arm does: "input.workers" = "8"
  std::vector<StoredLaunch> launches;           // void ones left out
};

// A campaign of launches in one allocation, as a store keeps it.
struct CampaignRecord {
  std::string name;  // "campaign 3"; of a candidate its folder, empty where it is the only one
  std::string created_utc;
  std::vector<std::string> runs;                // ids of its launches
  std::map<std::string, std::string> machine;   // "device", "world_size": must be equal
  std::map<std::string, std::string> software;  // "driver", "commit": equal, or the treatment
  std::map<std::string, std::string> recorded;  // facts that are shown, never compared
  std::map<std::string, StoredArm> arms;
};

// What a store offers to a gate.
struct PinnedBaseline {
  int pin = 0;                            // number of the pin that holds; 0: nothing is pinned
  int stored = 0;                         // campaigns of the store, pinned or not
  std::vector<CampaignRecord> campaigns;  // the pinned ones
};

// theta = mean(candidates) - mean(baseline), se = s sqrt(1/S + 1/S_c); s is pooled over both sets
// of campaigns, df = S + S_c - 2, so that one candidate adds nothing to it. nullopt below two
// stored campaigns or without a candidate.
std::optional<Estimate> stored_estimate(std::span<const double> baseline,
                                        std::span<const double> candidates);

// The relative change that one more campaign tells from none in 4 of 5 nights, from the stored
// campaigns alone. nullopt below two.
std::optional<double> stored_minimum_detectable(std::span<const double> baseline, double alpha);

// Mean over the launches of a campaign; null where the campaign has no such arm or launch.
std::optional<double> log_wall_of(const CampaignRecord& campaign, const std::string& arm);
std::optional<double> log_ratio_to_reference(const CampaignRecord& campaign,
                                             const std::string& arm);

// The same of the pinned campaigns that have it, in order. With `reference` the raw time of the
// arm's matched reference.
std::vector<double> log_walls_of(const PinnedBaseline& baseline, const std::string& arm);
std::vector<double> log_ratios_of(const PinnedBaseline& baseline, const std::string& arm);
std::vector<double> log_walls_of_reference(const PinnedBaseline& baseline, const std::string& arm);

// `gate` is one of facts.stored_gates; one candidate or more, of one plan. `findings` say what is
// wrong with a candidate itself; any, or a requirement of 2.8 that is not met, leaves the gate
// without a verdict and its estimate advisory. One look, K = 1. The guard can fail the gate;
// without a verdict it blocks no pass.
GateResult judge_against_stored(const CampaignFacts& facts, const GateSpec& gate,
                                const std::vector<CampaignRecord>& candidates,
                                const PinnedBaseline& baseline, std::vector<Finding> findings);

}  // namespace traceml
