#pragma once

#include <memory>

#include "workloads/torch/training_device.h"

namespace traceml {

// See TrainingDevice::capture(). On the current stream, which is not the default one.
std::unique_ptr<StepGraph> capture_step(const StepBody& body, bool with_events);

}  // namespace traceml
