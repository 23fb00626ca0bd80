// A program for mpi_launch_test: does one thing on one rank and ends.
//   mpi_probe size            prints "rank R of N", and the affinity warning of rank 0
//   mpi_probe throw RANK      that rank fails while the others wait in a barrier
//   mpi_probe throw_all       every rank fails at once
//   mpi_probe hang RANK       that rank never comes; a watchdog of its own ends the run

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/mpi/mpi_backend.h"

namespace {

using namespace traceml;

void act(MpiWorld& world, const std::string& what, int rank) {
  Transport& transport = world.transport();
  const bool chosen = transport.rank() == Rank{rank};
  const std::string name = "rank " + std::to_string(transport.rank().value);
  if (what == "size") {
    std::printf("%s of %d\n", name.c_str(), transport.world_size());
    if (const auto warning = world.affinity_warning(); warning && chosen) {
      std::printf("%s\n", warning->c_str());
    }
    transport.barrier();
    world.finalize();
    return;
  }
  SteadyHostClock clock;
  const auto collective = world.make_collective(clock);
  transport.barrier();
  if (what == "throw_all" || (what == "throw" && chosen)) {
    transport.fail(name + ": planted", ExitCode::kRunFailed);
  }
  if (what == "hang" && chosen) {
    std::jthread watchdog([&] { transport.fail(name + ": hangs", ExitCode::kRunFailed); });
    watchdog.join();
  }
  float value = 1;
  collective->all_reduce_mean({.bucket = 0, .data = &value, .count = 1, .type = {}, .queue = {}});
  collective->wait({});
  transport.barrier();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "size";
  const int rank = argc > 2 ? std::atoi(argv[2]) : 0;
  try {
    const auto world = start_mpi();
    act(*world, what, rank);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(value_of(error.code()));
  }
  return 0;
}
