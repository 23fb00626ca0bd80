#include "harness/backends/mpi/mpi_backend.h"
#include "harness/core/error.h"

namespace traceml {

bool mpi_built() {
  return false;
}

std::unique_ptr<MpiWorld> start_mpi(const MpiOptions&) {
  throw NotBuilt("MPI", "TRACEML_WITH_MPI");
}

}  // namespace traceml
