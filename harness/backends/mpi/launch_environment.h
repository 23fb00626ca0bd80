#pragma once
// What the launcher says of the job, read without MPI: also a binary built without MPI must not run
// N worlds of one rank under mpirun.

#include <functional>
#include <optional>
#include <string>

namespace traceml {

// As getenv: nullopt where the variable is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string&)>;
std::optional<std::string> process_environment(const std::string& name);

// One sentence where the launcher's environment names a larger world than `world_size`.
std::optional<std::string> world_size_conflict(const EnvironmentLookup& environment,
                                               int world_size);

struct LaunchedRank {
  int rank = 0;
  int world_size = 1;
};

// Which of how many processes this one is to an MPI launcher; nullopt where none is named.
std::optional<LaunchedRank> launched_rank(const EnvironmentLookup& environment);

struct CoreCounts {
  int allowed = 1;           // this rank's affinity mask
  int launcher_allowed = 1;  // what it would have unbound: the launcher's own mask, or all cores
                             // seen by ranks of the node
  int ranks_on_node = 1;
};

// One sentence, naming --bind-to none, where a rank has less than its share or a single core of
// several.
std::optional<std::string> binding_warning(const CoreCounts& cores);

// Cores that the parent process may run on; this one's where that cannot be read.
int launcher_core_count();

}  // namespace traceml
