#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
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
      : world_(world),
        shared_(node, sizeof(int)),
        failed_(static_cast<int*>(shared_.part_of(0))),
        slice_bytes_(std::clamp<std::size_t>(options.slice_bytes, 1, 1u << 30)) {
    check(MPI_Comm_rank(world_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(world_, &size_), "MPI_Comm_size");
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

  bool failing() const override { return failure_flag().load() != 0; }

  [[noreturn]] void fail(const std::string& sentence, ExitCode code) override {
    fail_after(sentence, code, [] {});
  }

  [[noreturn]] void fail_after(const std::string& sentence, ExitCode code,
                               const std::function<void()>& after_words) override {
    end_in(std::chrono::seconds(10));
    const bool first = failure_flag().exchange(1) == 0;
    if (first) {
      std::fflush(stdout);
      std::fprintf(stderr, "%s\n", sentence.c_str());
      std::fflush(stderr);
      after_words();
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

  // A hung disk or a launcher that does not answer must not keep this process.
  static void end_in(std::chrono::seconds time) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(static_cast<unsigned>(time.count()));
  }

  std::atomic_ref<int> failure_flag() const { return std::atomic_ref<int>(*failed_); }

  MPI_Comm world_;
  SharedWindow shared_;
  int* failed_;  // one flag for all ranks of the node: fail() must not need the others to answer
  std::size_t slice_bytes_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(MPI_Comm world, MPI_Comm node,
                                              const MpiOptions& options) {
  return std::make_unique<MpiTransport>(world, node, options);
}

}  // namespace traceml
