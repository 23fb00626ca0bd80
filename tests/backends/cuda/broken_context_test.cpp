// A program of its own: afterwards its process can use CUDA no more.
#include <gtest/gtest.h>

#include "harness/backends/local/single_rank.h"
#include "harness/core/error.h"
#include "tests/backends/cuda/cuda_devices.h"
#include "tests/backends/cuda/trap_kernel.h"
#include "tests/required_hardware.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;

class BrokenContext : public testing::Test {
 protected:
  void SetUp() override { skip_or_fail("gpu", why_no_gpu()); }
};

TEST_F(BrokenContext, FailsMarksAndCollectivesAndLetsThemGo) {
  use_gpu(0);
  check(load_trap_kernel());
  const auto delay = make_gpu_delay(0);
  const Stream stream = make_stream();
  auto clock = make_cuda_device_clock(0, 8);
  SingleCollective host;
  auto collective = make_staged_collective(host, 0);
  const DeviceMemory bucket = make_device_memory(64);

  const DeviceMark begin = clock->mark(queue_of(stream)).value();
  delay->enqueue(queue_of(stream), 100ms);  // until all is queued
  check(launch_trap_kernel(stream.get()));
  const DeviceMark end = clock->mark(queue_of(stream)).value();
  ASSERT_NE(cudaStreamSynchronize(stream.get()), cudaSuccess);

  for (int i = 0; i < 3; ++i) EXPECT_EQ(clock->query(end), MarkState::kFailed);
  EXPECT_EQ(clock->counters().errored, 1) << "counted once";
  EXPECT_EQ(clock->elapsed(begin, end), std::nullopt);
  EXPECT_EQ(clock->mark(queue_of(stream)), std::nullopt);
  EXPECT_EQ(clock->counters().errored, 2);
  clock->recycle(end);
  clock.reset();

  EXPECT_THROW(
      {
        collective->all_reduce_mean({.bucket = 0,
                                     .data = bucket.get(),
                                     .count = 16,
                                     .type = ElementType::kFloat32,
                                     .queue = queue_of(stream)});
        collective->wait(queue_of(stream));
      },
      RunError);
  collective.reset();
}

}  // namespace
}  // namespace traceml
