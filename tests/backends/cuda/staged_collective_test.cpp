#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/backends/local/single_rank.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/local/thread_group.h"
#include "harness/core/error.h"
#include "tests/backends/cuda/cuda_devices.h"
#include "tests/required_hardware.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;

class StagedCollectiveTest : public testing::Test {
 protected:
  void SetUp() override { skip_or_fail("gpu", why_no_gpu()); }
};

constexpr std::int64_t kCount = 1 << 22;  // 16 MiB: a copy takes longer than a call
constexpr std::size_t kBytes = kCount * sizeof(float);

DeviceMemory filled_with(float value) {
  DeviceMemory memory = make_device_memory(kBytes);
  const std::vector<float> values(kCount, value);
  check(cudaMemcpy(memory.get(), values.data(), kBytes, cudaMemcpyDefault));
  return memory;
}

void copy(const DeviceMemory& to, const DeviceMemory& from, const Stream& stream) {
  check(cudaMemcpyAsync(to.get(), from.get(), kBytes, cudaMemcpyDefault, stream.get()));
}

// How many elements are not `value`, read in the order of the stream.
std::ptrdiff_t others_than(float value, const DeviceMemory& memory, const Stream& stream) {
  std::vector<float> values(kCount);
  check(cudaMemcpyAsync(values.data(), memory.get(), kBytes, cudaMemcpyDefault, stream.get()));
  check(cudaStreamSynchronize(stream.get()));
  return kCount - std::count(values.begin(), values.end(), value);
}

// Each write waits in the stream behind a delay, and the host never waits for the stream: copies
// that do not wait for the queue, or a queue that does not wait for the copies back, get old
// values.
TEST_F(StagedCollectiveTest, AveragesDeviceBucketsInTheOrderOfTheirQueue) {
  SteadyHostClock clock;
  ThreadGroup(2, clock).run([](Transport& transport, Collective& host) {
    use_gpu(0);
    const auto staged = make_staged_collective(host, 0);
    const auto delay = make_gpu_delay(0);
    const Stream stream = make_stream();
    const std::vector<DeviceMemory> buckets = [] {
      std::vector<DeviceMemory> made;
      for (int i = 0; i < 2; ++i) made.push_back(filled_with(-1));
      return made;
    }();
    for (int step = 0; step < 4; ++step) {
      const DeviceMemory mine = filled_with(static_cast<float>(10 * step + transport.rank().value));
      for (int bucket = 0; bucket < 2; ++bucket) {
        const DeviceMemory& memory = buckets[static_cast<std::size_t>(bucket)];
        delay->enqueue(queue_of(stream), 5ms);
        copy(memory, mine, stream);
        staged->all_reduce_mean({.bucket = bucket,
                                 .data = memory.get(),
                                 .count = kCount,
                                 .type = ElementType::kFloat32,
                                 .queue = queue_of(stream)});
      }
      staged->wait(queue_of(stream));
      const float mean = static_cast<float>(10 * step) + 0.5f;
      for (const DeviceMemory& memory : buckets) {
        EXPECT_EQ(others_than(mean, memory, stream), 0) << "step " << step;
      }
    }
    EXPECT_STREQ(staged->name(), "staged threads");
  });
}

class FailingCollective final : public Collective {
 public:
  void all_reduce_mean(const BucketView&) override {}
  void wait(DeviceQueue) override { throw RunError("the network is gone"); }
  void set_recording(bool) override {}
  std::vector<CollectiveRecord> take_records() override { return {}; }
  const char* name() const override { return "failing"; }
};

TEST_F(StagedCollectiveTest, ThrowsFromWaitWhatTheHostsCollectiveThrew) {
  use_gpu(0);
  FailingCollective host;
  const auto staged = make_staged_collective(host, 0);
  const Stream stream = make_stream();
  const DeviceMemory memory = make_device_memory(kBytes);
  staged->all_reduce_mean({.bucket = 0,
                           .data = memory.get(),
                           .count = kCount,
                           .type = ElementType::kFloat32,
                           .queue = queue_of(stream)});
  for (int i = 0; i < 2; ++i) {
    try {
      staged->wait(queue_of(stream));
      FAIL() << "it failed";
    } catch (const RunError& error) {
      EXPECT_STREQ(error.what(), "the network is gone");
    }
  }
}

TEST_F(StagedCollectiveTest, GoesWithBucketsOnTheirWay) {
  use_gpu(0);
  SingleCollective host;
  const auto delay = make_gpu_delay(0);
  const Stream stream = make_stream();
  const DeviceMemory memory = make_device_memory(kBytes);
  auto staged = make_staged_collective(host, 0);
  delay->enqueue(queue_of(stream), 20ms);
  staged->all_reduce_mean({.bucket = 0,
                           .data = memory.get(),
                           .count = kCount,
                           .type = ElementType::kFloat32,
                           .queue = queue_of(stream)});
  staged.reset();
  EXPECT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
}

}  // namespace
}  // namespace traceml
