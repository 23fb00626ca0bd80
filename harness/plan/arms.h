#pragma once
// Steps of make_plan() that concern arms: what the user wrote, hidden arms, and their facts.

#include <string>
#include <vector>

#include "harness/core/campaign.h"
#include "harness/plan/config.h"

namespace traceml {

// What a config without arms has.
inline constexpr const char* kDefaultArm = "shipped";

// "quickstart.yaml:9:3: " for a key or arm whose place is known, else "quickstart.yaml: " or "".
std::string opening_for(const Config& config, const std::string& key);

// The same for a key that the arm may set itself.
std::string opening_for_arm(const Config& config, const ArmConfig& arm, const std::string& key);

// Whether the arm has a loader and needs a data set.
bool reads_files(const ArmConfig& arm);

// Whether the arm has a loader, be it one that spin simulates.
bool has_loader(const ArmConfig& arm);

// Throws UsageError for names that are no arm names or twice there, for keys that no arm may set
// and for an arm without its data set. A config without arms gets the arm "shipped"; the settings
// and references of a sweep come in. Arms that were added before are taken out first.
void complete_arms(Config* config);

// By ArmIndex.
std::vector<std::string> arm_names(const CampaignFacts& facts);

// The matched input-free arm of each that has one: first of those that are there.
std::optional<ArmIndex> matched_reference(const Config& config, const ArmConfig& arm);

// Adds "ARM/none", and "ARM/MODE" where ARM does not run in that mode, for each overhead gate.
void add_hidden_arms(Config* config);

// nullopt: no such arm.
std::optional<ArmIndex> arm_named(const Config& config, const std::string& name);

// The arms that an overhead gate compares: "shipped" (or "shipped/events") and "shipped/none".
std::string instrumented_arm_of(const Config& config, const GateConfig& gate);
std::string bare_arm_of(const Config& config, const GateConfig& gate);

// Facts of every arm of a completed config; periods, queues, references, settings.
std::vector<ArmFacts> facts_of_arms(const Config& config, int world_size);

// Whether the key says what a batch is or what is done with it once it has arrived: dtype, and
// every workload key but spin's time to wait for a batch and to make one.
bool makes_the_batch(const std::string& key);

// Keys of that sort in which `arm` differs from a reference. Each as "input.dtype: uint8 against
// float32"; empty: it is matched.
std::vector<std::string> mismatches(const Config& config, const ArmConfig& arm,
                                    const ArmConfig& reference);

}  // namespace traceml
