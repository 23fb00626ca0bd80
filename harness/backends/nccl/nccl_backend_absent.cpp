#include "harness/backends/nccl/nccl_backend.h"
#include "harness/backends/nccl/nccl_memory.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

[[noreturn]] void refuse() {
  throw NotBuilt("the all-reduce over NCCL", "TRACEML_WITH_NCCL");
}

}  // namespace

bool nccl_built() {
  return false;
}

std::string nccl_version() {
  refuse();
}

std::unique_ptr<Collective> make_nccl_collective(Transport&, HostClock&, int, const NcclOptions&) {
  refuse();
}

int nccl_device_count() {
  return 0;
}

std::unique_ptr<SweepMemory> make_nccl_sweep_memory(int, std::int64_t) {
  refuse();
}

}  // namespace traceml
