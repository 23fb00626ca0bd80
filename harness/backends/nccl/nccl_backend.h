#pragma once
// All-reduce of device buckets over NCCL. No NCCL or CUDA type here.

#include <cstddef>
#include <memory>
#include <string>

#include "harness/core/units.h"
#include "harness/ports/collective.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/transport.h"

namespace traceml {

struct NcclOptions {
  // For all ranks to join, and for one bucket to be enqueued: the first one connects the GPUs.
  Seconds join_limit{60};
  // Buckets that can be timed between two calls of take_records(). A bucket beyond them has a
  // record without times, and the next take_records() makes room for as many.
  std::size_t bucket_records = 2048;
};

bool nccl_built();

// Of the library that is loaded: "2.28.9". Throws NotBuilt in a binary without NCCL.
std::string nccl_version();

// Collective over `transport`, which carries the communicator's identifier. `device` is the CUDA
// device of this rank, as CUDA counts it in this process; two ranks must not share a GPU, which the
// caller sees to. `clock` stamps issue_host and must outlive the collective.
//
// Buckets are device memory, and a queue is a cudaStream_t: the legacy default stream is
// cudaStreamLegacy (1), since 0 is the host. The exchange runs on a stream of its own of the
// highest priority. Nothing synchronises or allocates on the device but take_records(), which does
// so after an exhausted pool alone.
//
// Under stream capture (cudaStreamIsCapturing of the bucket's queue) the exchange becomes a part of
// the graph and makes no record. One bucket must have been averaged and waited for before the first
// capture, for NCCL connects the GPUs then; and since NCCL launches from a thread of its own, the
// mode of the capture must not be cudaStreamCaptureModeGlobal. Graphs with exchanges in them must
// be destroyed before the collective, whose end waits for them, for at most some seconds.
//
// Throws RunError, on all ranks alike: where versions of NCCL differ, where a rank has no such
// device; on each for itself: where the ranks do not join within join_limit. NotBuilt in a binary
// without NCCL.
std::unique_ptr<Collective> make_nccl_collective(Transport& transport, HostClock& clock, int device,
                                                 const NcclOptions& options = {});

}  // namespace traceml
