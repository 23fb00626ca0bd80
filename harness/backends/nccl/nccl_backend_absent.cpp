#include "harness/backends/nccl/nccl_backend.h"
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

}  // namespace traceml
