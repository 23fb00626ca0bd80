#include "harness/backends/mpi/launch_environment.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "harness/runner/allowed_cores.h"

namespace traceml {
namespace {

std::optional<int> count_named(const EnvironmentLookup& environment, const std::string& name) {
  const std::optional<std::string> text = environment(name);
  if (!text) return std::nullopt;
  int value = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end || value < 0) return std::nullopt;
  return value;
}

std::optional<int> world_named(const EnvironmentLookup& environment, const std::string& name) {
  const std::optional<int> size = count_named(environment, name);
  return size && *size > 0 ? size : std::nullopt;
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

// The innermost launcher decides: Open MPI's mpirun inside a Slurm job may start fewer ranks than
// the job has tasks. Slurm's own count stands in a job's shell too, so it only speaks where no MPI
// launcher does, and only against a single rank.
std::optional<std::string> world_size_conflict(const EnvironmentLookup& environment,
                                               int world_size) {
  constexpr std::array<const char*, 2> kLaunchers = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  std::string variable;
  int launched = 0;
  for (const char* name : kLaunchers) {
    const std::optional<int> size = world_named(environment, name);
    if (!size) continue;
    if (*size <= world_size) return std::nullopt;
    if (variable.empty()) {
      variable = name;
      launched = *size;
    }
  }
  if (variable.empty() && world_size == 1) {
    variable = "SLURM_NTASKS";
    launched = world_named(environment, variable).value_or(1);
  }
  if (launched <= world_size) return std::nullopt;
  return fmt::format(
      "the launcher started {} ranks ({}), but MPI sees {}: this binary is linked with another MPI "
      "than the launcher's; start it with the mpirun of its own MPI, or unset {} to run one rank",
      launched, variable, world_size, variable);
}

std::optional<LaunchedRank> launched_rank(const EnvironmentLookup& environment) {
  constexpr std::array<std::pair<const char*, const char*>, 2> kLaunchers = {
      {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}}};
  for (const auto& [rank_name, size_name] : kLaunchers) {
    const std::optional<int> rank = count_named(environment, rank_name);
    const std::optional<int> size = world_named(environment, size_name);
    if (rank && size) return LaunchedRank{*rank, *size};
  }
  return std::nullopt;
}

std::optional<std::string> binding_warning(const CoreCounts& cores) {
  const int share = std::max(1, cores.launcher_allowed / std::max(1, cores.ranks_on_node));
  const bool short_of_share = cores.allowed < share;
  const bool single_of_several = cores.allowed == 1 && cores.launcher_allowed > 1;
  if (!short_of_share && !single_of_several) return std::nullopt;
  return fmt::format(
      "each rank may use only {} of {} cores, loader threads included, so loaders look slower than "
      "they are; pass --bind-to none to mpirun",
      cores.allowed, cores.launcher_allowed);
}

int launcher_core_count() {
  const int cores = static_cast<int>(cores_allowed_to(getppid()).size());
  return cores > 0 ? cores : allowed_core_count();
}

}  // namespace traceml
