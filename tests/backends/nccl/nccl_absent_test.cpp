#include <gmock/gmock.h>

#include "harness/backends/local/single_rank.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/nccl/nccl_backend.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

template <typename Action>
void expect_not_built(Action action) {
  try {
    action();
    FAIL() << "there is no NCCL here";
  } catch (const NotBuilt& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("TRACEML_WITH_NCCL=ON"));
  }
}

TEST(NcclAbsentTest, SaysHowToBuildIt) {
  EXPECT_FALSE(nccl_built());
  SingleTransport transport;
  SteadyHostClock clock;
  expect_not_built([&] { make_nccl_collective(transport, clock, 0); });
  expect_not_built([] { nccl_version(); });
}

}  // namespace
}  // namespace traceml
