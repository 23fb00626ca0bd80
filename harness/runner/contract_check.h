#pragma once

#include <string>

#include "harness/ports/device_clock.h"
#include "harness/ports/workload.h"

namespace traceml {

// The first batches of an arm and of its matched reference must agree in all that the device work
// after arrival depends on. Throws RunError naming both arms, the field and both values.
void check_contract(const std::string& arm, const BatchContract& contract,
                    const std::string& reference, const BatchContract& reference_contract);

// How a batch from files differs by design from its reference's, for reports.
std::string difference_by_design(DeviceQueue training_queue);

}  // namespace traceml
