#include "harness/backends/mpi/mpi_backend.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "harness/backends/mpi/launch_environment.h"
#include "harness/backends/mpi/mpi_internal.h"
#include "harness/ports/allowed_cores.h"

namespace traceml {

void check(int code, const char* call, std::source_location where) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw RunError(fmt::format("{} failed: {} ({}:{})", call,
                             std::string(text.data(), static_cast<std::size_t>(length)),
                             where.file_name(), where.line()));
}

void wait_for(MPI_Request* request, Patience patience) {
  using SteadyClock = std::chrono::steady_clock;
  constexpr auto kYielding = std::chrono::milliseconds(5);
  const auto begin = SteadyClock::now();
  auto pause = std::chrono::microseconds(20);
  while (true) {
    int done = 0;
    check(MPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    if (patience == Patience::kTight || SteadyClock::now() - begin < kYielding) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, std::chrono::microseconds(500));
    }
  }
}

namespace {

int maximum_on(MPI_Comm comm, int value) {
  int highest = value;
  check(MPI_Allreduce(&value, &highest, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  return highest;
}

// "Open MPI v4.1.4, package: ..." and "MPICH Version: 4.0.2 ..." begin with what people call it.
std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  std::string version(text.data(), static_cast<std::size_t>(length));
  version = version.substr(0, version.find_first_of(",\n"));
  const auto v = version.find(" v");
  if (v != std::string::npos) version.erase(v + 1, 1);
  return version;
}

class RealMpiWorld final : public MpiWorld {
 public:
  explicit RealMpiWorld(const MpiOptions& options) {
    int size = 1;
    check(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
    if (const auto conflict = world_size_conflict(process_environment, size)) {
      throw RunError(*conflict);
    }
    check(MPI_Comm_dup(MPI_COMM_WORLD, &world_), "MPI_Comm_dup");
    check(MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_),
          "MPI_Comm_split_type");
    for (const MPI_Comm comm : {MPI_COMM_WORLD, world_, node_}) {
      check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    }
    check(MPI_Comm_size(node_, &ranks_on_node_), "MPI_Comm_size");
    check(MPI_Comm_rank(node_, &rank_on_node_), "MPI_Comm_rank");
    const bool launched = process_environment("OMPI_COMM_WORLD_SIZE").has_value();
    const int allowed = allowed_core_count();
    const int launcher = launched ? launcher_core_count() : allowed;
    cores_ = {.allowed = allowed,
              .launcher_allowed = maximum_on(node_, std::max(allowed, launcher)),
              .ranks_on_node = ranks_on_node_};
    version_ = library_version();
    transport_ = make_mpi_transport(world_, node_, options);
  }

  Transport& transport() override { return *transport_; }

  std::unique_ptr<Collective> make_collective(HostClock& clock) override {
    return make_mpi_collective(world_, clock);
  }

  std::string version() const override { return version_; }
  int ranks_on_node() const override { return ranks_on_node_; }
  Rank rank_on_node() const override { return Rank{rank_on_node_}; }
  std::optional<std::string> affinity_warning() const override { return binding_warning(cores_); }

  void finalize() override {
    transport_.reset();
    check(MPI_Comm_free(&node_), "MPI_Comm_free");
    check(MPI_Comm_free(&world_), "MPI_Comm_free");
    check(MPI_Finalize(), "MPI_Finalize");
  }

 private:
  MPI_Comm world_ = MPI_COMM_NULL;
  MPI_Comm node_ = MPI_COMM_NULL;
  int ranks_on_node_ = 1;
  int rank_on_node_ = 0;
  CoreCounts cores_;
  std::string version_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace

std::unique_ptr<MpiWorld> start_mpi(const MpiOptions& options) {
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_MULTIPLE) {
    throw RunError(
        "this MPI does not allow several threads to call it (MPI_THREAD_MULTIPLE), which the "
        "overlapped all-reduce needs; use one built with thread support");
  }
  return std::make_unique<RealMpiWorld>(options);
}

bool mpi_built() {
  return true;
}

}  // namespace traceml
