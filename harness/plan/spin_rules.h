#pragma once
// Steps of make_plan() that concern the model spin and planted faults.

#include <string>

#include "harness/plan/config.h"
#include "harness/plan/plan.h"

namespace traceml {

// "workload.noise": means nothing to a model that trains.
bool is_spin_key(const std::string& path);

// Throws UsageError for keys of spin in another model, arms of which only some spin, and plants
// that cannot strike.
void check_models(const Config& config);

// Stall period of an arm that spins or has plants: the least common multiple of their `every`.
int planted_period_of(const ArmConfig& arm);

// What no reader of a figure may overlook: "virtual clock, planted faults", either alone, or empty.
std::string trial_of(const Config& config);

// Whether the arms have a device clock: spin on a fake device.
bool has_fake_device(const Config& config);

// Throws UsageError for plants on ranks and steps that this run does not have; adds what reports
// must say: "planted in slower: {slowdown: 5%}.", "... simulated by a virtual clock ...".
void check_plants(Plan* plan);

}  // namespace traceml
