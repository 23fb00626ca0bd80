#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/backends/mpi/mpi_backend.h"
#include "harness/ports/collective.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/transport.h"
#include "harness/runner/position.h"
#include "harness/runner/watched_ports.h"

namespace traceml {

// How this process meets the other ranks: MPI where it is built in, a single rank otherwise.
class Ranks {
 public:
  // Throws RunError where the launcher started more ranks than this binary can see. `clock`
  // outlives the object.
  explicit Ranks(HostClock& clock);

  Transport& transport() { return *transport_; }
  Collective& collective() { return *collective_; }
  // The positions of the ranks of this node; until finalize(). Transport and collective show in
  // them that a rank waits.
  const Roll& roll() const { return roll_; }
  bool is_root() const { return transport_->rank().value == 0; }

  // "Open MPI 4.1.4"; nullopt without MPI.
  std::optional<std::string> mpi_version() const;
  int ranks_on_node() const;
  Rank rank_on_node() const;

  // Collective. From now on collective() averages buckets in the memory of GPU `device`: over NCCL
  // or, with over_host, over host memory and MPI. `bucket_records`: how many
  // records there can be between two take_records().
  void exchange_on_gpu(int device, bool over_host, std::size_t bucket_records);
  std::optional<std::string> affinity_warning() const;

  // Collective; the last call of a healthy rank.
  void finalize();

 private:
  void meet_alone();
  void meet_over_mpi();

  std::unique_ptr<MpiWorld> mpi_;
  std::unique_ptr<Transport> own_transport_;  // without MPI
  std::unique_ptr<Position> own_position_;    // without MPI
  std::unique_ptr<Collective> own_collective_;
  std::unique_ptr<Collective> device_collective_;
  Roll roll_;
  std::unique_ptr<WatchedTransport> transport_;
  std::unique_ptr<WatchedCollective> collective_;
  HostClock& clock_;
};

// An error that all ranks know of: rank 0 prints it, all return its code.
class AgreedError : public Error {
 public:
  using Error::Error;
};

// Collective: every rank says what went wrong with it, if anything; if anything did on any rank,
// all throw AgreedError with the first rank's sentence.
void agree(Transport& transport, const std::optional<Error>& own);

// Collective: runs `action`, which makes no collective call itself, on every rank and agrees on its
// errors.
template <typename Action>
auto together(Transport& transport, Action action) {
  std::optional<Error> failed;
  std::optional<decltype(action())> result;
  try {
    result.emplace(action());
  } catch (const Error& error) {
    failed = error;
  }
  agree(transport, failed);
  return std::move(*result);
}

}  // namespace traceml
