#pragma once

#include "harness/codec/run_id.h"
#include "harness/plan/plan.h"
#include "harness/ports/transport.h"

namespace traceml {

// Collective: the id of the run that is about to start, equal on all ranks. It is random, but for a
// run on the virtual clock, which repeats byte for byte: the same config on as many ranks gives the
// same id.
RunId agree_on_run_id(Transport& transport, const Plan& plan);

}  // namespace traceml
