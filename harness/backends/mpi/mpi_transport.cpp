#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "harness/backends/mpi/mpi_internal.h"

namespace traceml {
namespace {

constexpr int kGatherTag = 71;

class MpiTransport final : public Transport {
 public:
  MpiTransport(MPI_Comm world, MPI_Comm node, const MpiOptions& options)
      : world_(world), slice_bytes_(std::clamp<std::size_t>(options.slice_bytes, 1, 1u << 30)) {
    check(MPI_Comm_rank(world_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(world_, &size_), "MPI_Comm_size");
    share_failure_flag(node);
  }

  ~MpiTransport() override {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
  }

  Rank rank() const override { return Rank{rank_}; }
  int world_size() const override { return size_; }

  // Twice: the first meeting may sleep, the second releases all ranks within microseconds of each
  // other.
  void barrier() override {
    for (const Patience patience : {Patience::kRelaxed, Patience::kTight}) {
      MPI_Request request = MPI_REQUEST_NULL;
      check(MPI_Ibarrier(world_, &request), "MPI_Ibarrier");
      wait_for(&request, patience);
    }
  }

  std::vector<std::string> gather(const std::string& bytes) override {
    const auto length = static_cast<std::uint64_t>(bytes.size());
    std::vector<std::uint64_t> lengths(rank_ == 0 ? static_cast<std::size_t>(size_) : 0);
    MPI_Request request = MPI_REQUEST_NULL;
    check(
        MPI_Igather(&length, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, 0, world_, &request),
        "MPI_Igather");
    wait_for(&request, Patience::kRelaxed);
    if (rank_ != 0) {
      send_slices(bytes);
      return {};
    }
    std::vector<std::string> all;
    all.push_back(bytes);
    for (int source = 1; source < size_; ++source) {
      all.push_back(receive_slices(source, lengths[static_cast<std::size_t>(source)]));
    }
    return all;
  }

  std::string broadcast(const std::string& bytes) override {
    std::uint64_t length = bytes.size();
    broadcast_slice(&length, 1, MPI_UINT64_T);
    std::string result = rank_ == 0 ? bytes : std::string(length, '\0');
    for (std::size_t at = 0; at < length; at += slice_bytes_) {
      broadcast_slice(result.data() + at, slice_at(at, length), MPI_BYTE);
    }
    return result;
  }

  [[noreturn]] void fail(const std::string& sentence, ExitCode code) override {
    const bool first = failure_flag().exchange(1) == 0;
    if (first) {
      std::fflush(stdout);
      std::fprintf(stderr, "%s\n", sentence.c_str());
      std::fflush(stderr);
    } else {
      // Another rank of this node prints and aborts; end this one if that does not end it.
      std::this_thread::sleep_for(std::chrono::seconds(3));
    }
    MPI_Abort(MPI_COMM_WORLD, value_of(code));
    std::_Exit(value_of(code));
  }

 private:
  int slice_at(std::size_t at, std::size_t length) const {
    return static_cast<int>(std::min(slice_bytes_, length - at));
  }

  void send_slices(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += slice_bytes_) {
      MPI_Request request = MPI_REQUEST_NULL;
      check(MPI_Isend(bytes.data() + at, slice_at(at, bytes.size()), MPI_BYTE, 0, kGatherTag,
                      world_, &request),
            "MPI_Isend");
      wait_for(&request, Patience::kRelaxed);
    }
  }

  std::string receive_slices(int source, std::size_t length) {
    std::string bytes(length, '\0');
    for (std::size_t at = 0; at < length; at += slice_bytes_) {
      MPI_Request request = MPI_REQUEST_NULL;
      check(MPI_Irecv(bytes.data() + at, slice_at(at, length), MPI_BYTE, source, kGatherTag, world_,
                      &request),
            "MPI_Irecv");
      wait_for(&request, Patience::kRelaxed);
    }
    return bytes;
  }

  void broadcast_slice(void* data, int count, MPI_Datatype type) {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ibcast(data, count, type, 0, world_, &request), "MPI_Ibcast");
    wait_for(&request, Patience::kRelaxed);
  }

  // One flag for all ranks of the node, in shared memory: fail() must not need the others to
  // answer.
  void share_failure_flag(MPI_Comm node) {
    int node_rank = 0;
    check(MPI_Comm_rank(node, &node_rank), "MPI_Comm_rank");
    const MPI_Aint bytes = node_rank == 0 ? sizeof(int) : 0;
    int* own = nullptr;
    check(MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, node, &own, &window_),
          "MPI_Win_allocate_shared");
    MPI_Aint size = 0;
    int unit = 0;
    check(MPI_Win_shared_query(window_, 0, &size, &unit, &failed_), "MPI_Win_shared_query");
    if (node_rank == 0) failure_flag().store(0);
    check(MPI_Barrier(node), "MPI_Barrier");
  }

  std::atomic_ref<int> failure_flag() const { return std::atomic_ref<int>(*failed_); }

  MPI_Comm world_;
  std::size_t slice_bytes_;
  int rank_ = 0;
  int size_ = 1;
  MPI_Win window_ = MPI_WIN_NULL;
  int* failed_ = nullptr;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(MPI_Comm world, MPI_Comm node,
                                              const MpiOptions& options) {
  return std::make_unique<MpiTransport>(world, node, options);
}

}  // namespace traceml
