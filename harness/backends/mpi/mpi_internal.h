#pragma once
// Shared by the sources of this room alone: the only header with MPI types.

#include <mpi.h>

#include <source_location>

#include "harness/backends/mpi/mpi_backend.h"

namespace traceml {

// Throws RunError with MPI's own words and the place of the call.
void check(int code, const char* call,
           std::source_location where = std::source_location::current());

// How a thread waits for MPI: blocking MPI calls would spin at 100 % of a core.
enum class Patience {
  kTight,    // yields only: the last metres before a window
  kRelaxed,  // yields for some milliseconds, then sleeps in small steps
};

// Completes the request.
void wait_for(MPI_Request* request, Patience patience);

// Memory that the ranks of a node share: `bytes` of zeros for each. Constructor and destructor are
// collective over the node.
class SharedWindow {
 public:
  SharedWindow(MPI_Comm node, std::size_t bytes);
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  void* part_of(int rank_on_node) const;

 private:
  MPI_Win window_ = MPI_WIN_NULL;
};

std::unique_ptr<Transport> make_mpi_transport(MPI_Comm world, MPI_Comm node,
                                              const MpiOptions& options);
std::unique_ptr<Collective> make_mpi_collective(MPI_Comm world, HostClock& clock);

}  // namespace traceml
