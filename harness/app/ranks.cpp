#include "harness/app/ranks.h"

#include <fmt/format.h>

#include <new>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/local/single_rank.h"
#include "harness/backends/mpi/launch_environment.h"
#include "harness/backends/nccl/nccl_backend.h"

namespace traceml {

Ranks::Ranks(HostClock& clock) : clock_(clock) {
  if (mpi_built()) {
    meet_over_mpi();
  } else {
    meet_alone();
  }
}

void Ranks::meet_alone() {
  if (const auto conflict = world_size_conflict(process_environment, 1)) throw RunError(*conflict);
  own_transport_ = std::make_unique<SingleTransport>();
  own_collective_ = std::make_unique<SingleCollective>();
  own_position_ = std::make_unique<Position>();
  roll_.ranks.push_back({Rank{0}, own_position_.get()});
  transport_ = std::make_unique<WatchedTransport>(*own_transport_, *own_position_);
  collective_ = std::make_unique<WatchedCollective>(*own_collective_, *own_position_);
}

void Ranks::meet_over_mpi() {
  mpi_ = start_mpi();
  Transport& transport = mpi_->transport();
  for (const NodeMemory& part : mpi_->share_on_node(sizeof(Position))) {
    const bool own = part.rank == transport.rank();
    if (own) roll_.own = roll_.ranks.size();
    // The memory is zero, as a new position is: another rank's may be read before it is made.
    roll_.ranks.push_back(
        {part.rank, own ? new (part.memory) Position : static_cast<Position*>(part.memory)});
  }
  roll_.complete = transport.world_size() == static_cast<int>(roll_.ranks.size());
  own_collective_ = mpi_->make_collective(clock_);
  transport_ = std::make_unique<WatchedTransport>(transport, roll_.own_position());
  collective_ = std::make_unique<WatchedCollective>(*own_collective_, roll_.own_position());
}

std::optional<std::string> Ranks::mpi_version() const {
  if (!mpi_) return std::nullopt;
  return mpi_->version();
}

int Ranks::ranks_on_node() const {
  return mpi_ ? mpi_->ranks_on_node() : 1;
}

Rank Ranks::rank_on_node() const {
  return mpi_ ? mpi_->rank_on_node() : Rank{0};
}

void Ranks::exchange_on_gpu(int device, bool over_host, std::size_t bucket_records) {
  if (transport_->world_size() == 1) {
    device_collective_ = std::make_unique<SingleCollective>();
  } else if (over_host) {
    device_collective_ = make_staged_collective(*own_collective_, device);
  } else {
    device_collective_ =
        make_nccl_collective(*transport_, clock_, device, {.bucket_records = bucket_records});
  }
  collective_ = std::make_unique<WatchedCollective>(*device_collective_, roll_.own_position());
}

std::optional<std::string> Ranks::affinity_warning() const {
  return mpi_ ? mpi_->affinity_warning() : std::nullopt;
}

void Ranks::finalize() {
  device_collective_.reset();
  own_collective_.reset();
  if (mpi_) mpi_->finalize();
}

void agree(Transport& transport, const std::optional<Error>& own) {
  // "<code> <sentence>", or nothing where all is well.
  const std::string mine = own ? fmt::format("{} {}", value_of(own->code()), own->what()) : "";
  std::string first;
  for (const std::string& text : transport.gather(mine)) {
    if (first.empty()) first = text;
  }
  first = transport.broadcast(first);
  if (first.empty()) return;
  const auto space = first.find(' ');
  throw AgreedError(static_cast<ExitCode>(std::stoi(first.substr(0, space))),
                    first.substr(space + 1));
}

}  // namespace traceml
