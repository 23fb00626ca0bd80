#include "harness/app/launch_setup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/backends/mpi/mpi_backend.h"
#include "harness/core/error.h"
#include "harness/runner/allowed_cores.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

bool is_set(const char* name) {
  return std::getenv(name) != nullptr;
}

Starter choose_starter(const LaunchArguments& arguments) {
  if (arguments.launcher == "srun") return Starter::kSrun;
  if (arguments.launcher == "mpirun") return Starter::kMpirun;
  if (!mpi_built()) {
    if (arguments.ranks > 1) throw NotBuilt("MPI", "TRACEML_WITH_MPI");
    return Starter::kDirect;
  }
  return is_set("SLURM_JOB_ID") ? Starter::kSrun : Starter::kMpirun;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

bool inside_mpirun() {
  return is_set("OMPI_COMM_WORLD_SIZE") || is_set("PMI_SIZE");
}

void require_no_starter(const std::string& command) {
  if (!inside_mpirun()) return;
  throw UsageError(
      fmt::format("traceml-bench {} starts mpirun itself; start it without mpirun", command));
}

Seconds limit_of_launch(const MeasureConfig& measure) {
  constexpr Seconds kStartAndReports{300};
  return measure.time_limit + measure.step_timeout + kStartAndReports;
}

LaunchSetup setup_of(const LaunchArguments& arguments, int launches) {
  LaunchSetup setup;
  setup.binary = fs::read_symlink("/proc/self/exe").string();
  setup.config = arguments.config;
  setup.overrides = arguments.overrides;
  std::erase_if(setup.overrides, [](const std::string& text) {
    return text.starts_with("measure.launches=");  // the setup says it
  });
  setup.ranks = arguments.ranks;
  setup.launches = launches;
  setup.starter = choose_starter(arguments);
  setup.starter_arguments = words_of(arguments.launcher_arguments);
  setup.as_root = ::geteuid() == 0;
  setup.in_container = fs::exists("/.dockerenv") || fs::exists("/run/.containerenv") ||
                       is_set("KUBERNETES_SERVICE_HOST");
  setup.cores = allowed_core_count();
  return setup;
}

}  // namespace traceml
