#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/thread_group.h"
#include "tests/backends/cuda/cuda_devices.h"
#include "tests/backends/port_contracts.h"

namespace traceml {

// The suite hands over host buckets, which go through the same copies.
std::vector<WorldCase> world_cases() {
  return {{.name = "staged_threads_2",
           .exchanges = true,
           .run =
               [](const RankBody& body) {
                 SteadyHostClock clock;
                 ThreadGroup(2, clock).run([&](Transport& transport, Collective& host) {
                   const auto staged = make_staged_collective(host, 0);
                   body(transport, *staged);
                 });
               },
           .needs = "gpu",
           .why_not = why_no_gpu()}};
}

}  // namespace traceml
