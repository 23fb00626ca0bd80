#include "harness/backends/local/single_rank.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/thread_group.h"
#include "tests/backends/port_contracts.h"

namespace traceml {
namespace {

WorldCase threads(int ranks) {
  return {.name = "threads_" + std::to_string(ranks),
          .exchanges = true,
          .run = [ranks](const RankBody& body) {
            SteadyHostClock clock;
            ThreadGroup(ranks, clock).run(body);
          }};
}

}  // namespace

std::vector<WorldCase> world_cases() {
  const WorldCase single{.name = "single", .exchanges = false, .run = [](const RankBody& body) {
                           SingleTransport transport;
                           SingleCollective collective;
                           body(transport, collective);
                         }};
  return {single, threads(1), threads(2), threads(5)};
}

}  // namespace traceml
