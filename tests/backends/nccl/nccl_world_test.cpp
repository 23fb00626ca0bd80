// Runs under mpirun on two ranks with a GPU each; every rank runs every test.

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/mpi/mpi_backend.h"
#include "harness/backends/nccl/nccl_backend.h"
#include "tests/backends/port_contracts.h"
#include "tests/required_hardware.h"

namespace traceml {
namespace {

std::unique_ptr<MpiWorld> world;

class MpiEnvironment final : public testing::Environment {
 public:
  void SetUp() override { world = start_mpi(); }
  void TearDown() override { world->finalize(); }
};

const auto* const environment = testing::AddGlobalTestEnvironment(new MpiEnvironment);

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

// Empty where there are enough.
std::string too_few_gpus() {
  if (device_count() >= 2) return "";
  return "needs two GPUs, and there are " + std::to_string(device_count());
}

void expect_success(cudaError_t code) {
  ASSERT_EQ(code, cudaSuccess) << cudaGetErrorString(code);
}

// Device memory, copied to and from in a stream of its own.
class DeviceMemory final : public BucketMemory {
 public:
  DeviceMemory() { expect_success(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~DeviceMemory() override {
    cudaStreamSynchronize(stream_);
    for (void* memory : held_) cudaFree(memory);
    cudaStreamDestroy(stream_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  DeviceQueue queue() const override { return {reinterpret_cast<std::uintptr_t>(stream_)}; }
  cudaStream_t stream() const { return stream_; }

  void* hold(const void* bytes, std::size_t size) override {
    void* memory = nullptr;
    expect_success(cudaMalloc(&memory, size));
    held_.push_back(memory);
    expect_success(cudaMemcpyAsync(memory, bytes, size, cudaMemcpyDefault, stream_));
    return memory;
  }

  void read(const void* held, void* to, std::size_t size) override {
    expect_success(cudaMemcpyAsync(to, held, size, cudaMemcpyDefault, stream_));
    expect_success(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_ = nullptr;
  std::vector<void*> held_;
};

int own_device() {
  return world->rank_on_node().value;
}

class NcclCollectiveTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why_not = too_few_gpus();
    if (why_not.empty()) expect_success(cudaSetDevice(own_device()));
    skip_or_fail("gpu2", why_not);
  }

  std::unique_ptr<Collective> make(const NcclOptions& options = {}) {
    return make_nccl_collective(world->transport(), clock_, own_device(), options);
  }

  // A bucket of `values` in the memory's queue; its mean is there after wait().
  static void average(Collective& collective, DeviceMemory& memory, void* data,
                      std::int64_t count) {
    collective.all_reduce_mean({.bucket = 0,
                                .data = data,
                                .count = count,
                                .type = ElementType::kFloat32,
                                .queue = memory.queue()});
    collective.wait(memory.queue());
  }

  SteadyHostClock clock_;
};

TEST(NcclVersionTest, IsThatOfTheLoadedLibrary) {
  EXPECT_TRUE(nccl_built());
  EXPECT_THAT(nccl_version(), testing::StartsWith("2."));
}

// The only test without GPUs: the ranks find out together, and none waits for another.
TEST(NcclDeviceTest, IsRefusedOnAllRanksWhereOneHasNone) {
  SteadyHostClock clock;
  const int beyond = device_count();
  const int device = world->transport().rank() == Rank{0} ? beyond : 0;
  try {
    make_nccl_collective(world->transport(), clock, device);
    FAIL() << "there is no device " << beyond;
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("rank 0: cudaSetDevice failed"));
  }
}

TEST_F(NcclCollectiveTest, RefusesHostBucketsAndQueues) {
  const auto collective = make();
  float value = 1;
  EXPECT_THROW(collective->all_reduce_mean(
                   {.bucket = 0, .data = &value, .count = 1, .type = {}, .queue = {}}),
               RunError);
}

TEST_F(NcclCollectiveTest, LeavesTimesNullBeyondItsPoolAndMakesRoomForTheNextWindow) {
  const auto collective = make({.join_limit = Seconds{60}, .bucket_records = 2});
  DeviceMemory memory;
  const std::vector<float> values(1000, 1.0f);
  void* data = memory.hold(values.data(), values.size() * sizeof(float));
  collective->set_recording(true);
  for (int window = 0; window < 2; ++window) {
    for (int step = 0; step < 3; ++step) average(*collective, memory, data, 1000);
    expect_success(cudaStreamSynchronize(memory.stream()));
    const auto records = collective->take_records();
    ASSERT_EQ(records.size(), 3u);
    EXPECT_TRUE(records[1].end.has_value());
    EXPECT_EQ(records[2].end.has_value(), window == 1);
    EXPECT_EQ(records[2].arrival.has_value(), window == 1);
    EXPECT_EQ(records[2].bytes, 4000);
  }
}

TEST_F(NcclCollectiveTest, AveragesAnewWithEachReplayOfACapturedGraphAndRecordsNothing) {
  const auto collective = make();
  DeviceMemory memory;
  const auto rank = static_cast<float>(world->transport().rank().value);
  const std::vector<float> values(5000, rank);
  void* data = memory.hold(values.data(), values.size() * sizeof(float));
  void* source = memory.hold(values.data(), values.size() * sizeof(float));
  average(*collective, memory, data, 5000);  // connects the GPUs
  expect_success(cudaStreamSynchronize(memory.stream()));
  collective->set_recording(true);

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  expect_success(cudaStreamBeginCapture(memory.stream(), cudaStreamCaptureModeThreadLocal));
  expect_success(cudaMemcpyAsync(data, source, 20000, cudaMemcpyDefault, memory.stream()));
  average(*collective, memory, data, 2000);
  average(*collective, memory, static_cast<float*>(data) + 2000, 3000);
  expect_success(cudaStreamEndCapture(memory.stream(), &graph));
  expect_success(cudaGraphInstantiate(&executable, graph, 0));
  for (int replay = 0; replay < 3; ++replay) {
    expect_success(cudaGraphLaunch(executable, memory.stream()));
    std::vector<float> mean(5000);
    memory.read(data, mean.data(), 20000);
    EXPECT_THAT(mean, testing::Each(0.5f)) << "replay " << replay;
  }
  EXPECT_THAT(collective->take_records(), testing::IsEmpty());
  average(*collective, memory, data, 5000);  // eager again
  expect_success(cudaStreamSynchronize(memory.stream()));
  EXPECT_THAT(collective->take_records(), testing::SizeIs(1));
  expect_success(cudaGraphExecDestroy(executable));
  expect_success(cudaGraphDestroy(graph));
}

// Rank 1 hands nothing over, so that rank 0's kernel can never end by itself.
TEST_F(NcclCollectiveTest, EndsAnExchangeThatAPeerNeverJoinsWhenItIsAborted) {
  const auto collective = make();
  DeviceMemory memory;
  const std::vector<float> values(1000, 1.0f);
  void* data = memory.hold(values.data(), values.size() * sizeof(float));
  average(*collective, memory, data, 1000);  // connects the GPUs
  expect_success(cudaStreamSynchronize(memory.stream()));
  if (world->transport().rank() == Rank{0}) average(*collective, memory, data, 1000);
  world->transport().barrier();
  collective->abort();
  expect_success(cudaStreamSynchronize(memory.stream()));
  EXPECT_THROW(collective->wait(memory.queue()), RunError);
  world->transport().barrier();
}

TEST_F(NcclCollectiveTest, GivesUpAfterItsLimitWhereARankDoesNotJoin) {
  Transport& transport = world->transport();
  if (transport.rank() == Rank{0}) {
    // Alone with what the other rank would have sent.
    class WithoutTheOther final : public Transport {
     public:
      Rank rank() const override { return Rank{0}; }
      int world_size() const override { return 2; }
      void barrier() override {}
      std::vector<std::string> gather(const std::string& bytes) override { return {bytes, bytes}; }
      std::string broadcast(const std::string& bytes) override { return bytes; }
      [[noreturn]] void fail(const std::string&, ExitCode) override { std::abort(); }
    } alone;
    try {
      make_nccl_collective(alone, clock_, own_device(),
                           {.join_limit = Seconds{2}, .bucket_records = 1});
      ADD_FAILURE() << "joined alone";
    } catch (const RunError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("is a rank missing or stopped?"));
    }
  }
  transport.barrier();
}

}  // namespace

std::vector<WorldCase> world_cases() {
  return {{.name = "nccl",
           .exchanges = true,
           .clock = "device",
           .memory = [] { return std::make_unique<DeviceMemory>(); },
           .run =
               [](const RankBody& body) {
                 SteadyHostClock clock;
                 expect_success(cudaSetDevice(own_device()));
                 const auto collective =
                     make_nccl_collective(world->transport(), clock, own_device());
                 body(world->transport(), *collective);
               },
           .needs = "gpu2",
           .why_not = too_few_gpus()}};
}

}  // namespace traceml
