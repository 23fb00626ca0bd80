#pragma once
// All-reduce of device buckets over NCCL. No NCCL type here.

#include <memory>

#include "harness/ports/collective.h"
#include "harness/ports/transport.h"

namespace traceml {

bool nccl_built();

// Collective over `transport`, which carries the communicator's id. Device `device` is this rank's.
// Throws NotBuilt in a binary without NCCL.
std::unique_ptr<Collective> make_nccl_collective(Transport& transport, int device);

}  // namespace traceml
