#include "harness/app/ranks.h"

#include <fmt/format.h>

#include "harness/backends/local/single_rank.h"
#include "harness/backends/mpi/launch_environment.h"

namespace traceml {

Ranks::Ranks(HostClock& clock) {
  if (!mpi_built()) {
    if (const auto conflict = world_size_conflict(process_environment, 1)) {
      throw RunError(*conflict);
    }
    own_transport_ = std::make_unique<SingleTransport>();
    transport_ = own_transport_.get();
    collective_ = std::make_unique<SingleCollective>();
    return;
  }
  mpi_ = start_mpi();
  transport_ = &mpi_->transport();
  collective_ = mpi_->make_collective(clock);
}

std::optional<std::string> Ranks::mpi_version() const {
  if (!mpi_) return std::nullopt;
  return mpi_->version();
}

int Ranks::ranks_on_node() const {
  return mpi_ ? mpi_->ranks_on_node() : 1;
}

std::optional<std::string> Ranks::affinity_warning() const {
  return mpi_ ? mpi_->affinity_warning() : std::nullopt;
}

void Ranks::finalize() {
  collective_.reset();
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
