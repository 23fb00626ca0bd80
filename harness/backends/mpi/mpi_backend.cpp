#include "harness/backends/mpi/mpi_backend.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "harness/backends/mpi/launch_environment.h"
#include "harness/backends/mpi/mpi_internal.h"
#include "harness/runner/allowed_cores.h"

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

SharedWindow::SharedWindow(MPI_Comm node, std::size_t bytes) {
  void* own = nullptr;
  check(
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, node, &own, &window_),
      "MPI_Win_allocate_shared");
  std::memset(own, 0, bytes);
  check(MPI_Barrier(node), "MPI_Barrier");
}

SharedWindow::~SharedWindow() {
  MPI_Win_free(&window_);
}

void* SharedWindow::part_of(int rank_on_node) const {
  MPI_Aint size = 0;
  int unit = 0;
  void* memory = nullptr;
  check(MPI_Win_shared_query(window_, rank_on_node, &size, &unit, &memory), "MPI_Win_shared_query");
  return memory;
}

namespace {

// So that no two ranks write to one cache line, and every part is aligned.
constexpr std::size_t kPartBytes = 128;

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

  std::vector<NodeMemory> share_on_node(std::size_t bytes) override {
    int own = 0;
    check(MPI_Comm_rank(world_, &own), "MPI_Comm_rank");
    std::vector<int> ranks(static_cast<std::size_t>(ranks_on_node_));
    check(MPI_Allgather(&own, 1, MPI_INT, ranks.data(), 1, MPI_INT, node_), "MPI_Allgather");
    const std::size_t padded = (bytes + kPartBytes - 1) / kPartBytes * kPartBytes;
    shared_.push_back(std::make_unique<SharedWindow>(node_, padded));
    std::vector<NodeMemory> parts;
    for (int i = 0; i < ranks_on_node_; ++i) {
      parts.push_back({Rank{ranks[static_cast<std::size_t>(i)]}, shared_.back()->part_of(i)});
    }
    return parts;
  }

  void finalize() override {
    shared_.clear();
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
  std::vector<std::unique_ptr<SharedWindow>> shared_;
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
