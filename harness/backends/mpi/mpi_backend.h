#pragma once
// MPI behind the ports; no MPI type here. The absent variant throws NotBuilt from start_mpi().

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/ports/collective.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/transport.h"

namespace traceml {

// A rank of this node and its part of what the node shares; aligned for any type.
struct NodeMemory {
  Rank rank;
  void* memory = nullptr;
};

// MPI from MPI_Init_thread to MPI_Finalize; one a process. A process that leaves without finalize()
// has failed, as mpirun sees it.
class MpiWorld {
 public:
  virtual ~MpiWorld() = default;

  // Lives as long as the world. Its fail() prints once a node.
  virtual Transport& transport() = 0;

  // Collective. Averages host buckets on a thread and a communicator of its own; must be destroyed
  // before finalize(). `clock` stamps records and must outlive it.
  virtual std::unique_ptr<Collective> make_collective(HostClock& clock) = 0;

  virtual std::string version() const = 0;  // "Open MPI 4.1.4"
  virtual int ranks_on_node() const = 0;
  virtual Rank rank_on_node() const = 0;

  // One sentence where the launcher pinned this rank to fewer cores than it needs, naming the flag
  // to pass.
  virtual std::optional<std::string> affinity_warning() const = 0;

  // Collective. `bytes` of zeros for each rank of this node, which all of them can read and write
  // until finalize(); in the order of ranks.
  virtual std::vector<NodeMemory> share_on_node(std::size_t bytes) = 0;

  // Collective; the last call of a healthy rank.
  virtual void finalize() = 0;
};

struct MpiOptions {
  std::size_t slice_bytes = std::size_t{64} << 20;  // largest message: MPI counts are int
};

// Throws RunError where the launcher's environment says that there are more ranks than MPI says,
// and NotBuilt in a binary without MPI. Works without mpirun too: a world of one rank.
std::unique_ptr<MpiWorld> start_mpi(const MpiOptions& options = {});

bool mpi_built();

}  // namespace traceml
