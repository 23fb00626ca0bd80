#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "harness/core/error.h"
#include "tests/backends/cuda/cuda_devices.h"
#include "tests/required_hardware.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::MatchesRegex;

class CudaDeviceTest : public testing::Test {
 protected:
  void SetUp() override { skip_or_fail("gpu", why_no_gpu()); }
};

TEST_F(CudaDeviceTest, TellsPlausibleFactsOfEachGpu) {
  const GpuSearch found = find_gpus();
  ASSERT_FALSE(found.gpus.empty());
  EXPECT_EQ(found.why_none, "");
  EXPECT_THAT(found.driver_cuda.value(), MatchesRegex("[0-9]+\\.[0-9]"));
  EXPECT_THAT(found.runtime.value(), MatchesRegex("[0-9]+\\.[0-9]"));
  for (std::size_t i = 0; i < found.gpus.size(); ++i) {
    const Gpu& gpu = found.gpus[i];
    EXPECT_EQ(gpu.index, static_cast<int>(i));
    EXPECT_NE(gpu.name, "");
    EXPECT_THAT(gpu.uuid, MatchesRegex("GPU-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+-[0-9a-f]+"));
    EXPECT_EQ(gpu.uuid.size(), 40u);
    EXPECT_THAT(gpu.pci_bus_id, MatchesRegex("[0-9A-Fa-f]+:[0-9A-Fa-f]+:[0-9A-Fa-f]+\\.[0-9]"));
    EXPECT_THAT(gpu.compute_capability, MatchesRegex("[0-9]+\\.[0-9]"));
    EXPECT_GT(gpu.memory_bytes, std::int64_t{1} << 30);
    EXPECT_GT(gpu.multiprocessors, 0);
  }
}

TEST_F(CudaDeviceTest, ReadsTheStateOfAGpuFromTheDriver) {
  std::string why_not;
  const auto monitor = make_gpu_monitor(find_gpus().gpus.front().uuid, why_not);
  ASSERT_TRUE(monitor) << why_not;
  const DeviceState state = monitor->read();
  EXPECT_GT(state.sm_clock_mhz.value(), 0);
  EXPECT_LT(state.sm_clock_mhz.value(), 10'000);
  EXPECT_GT(state.memory_clock_mhz.value(), 0);
  EXPECT_GT(state.temperature_c.value(), 0);
  EXPECT_LT(state.temperature_c.value(), 120);
  if (state.power_w) {
    EXPECT_GT(*state.power_w, 1);
    EXPECT_LT(*state.power_w, 3000);
  }
  EXPECT_TRUE(state.throttle_reasons);
  EXPECT_GE(state.other_processes.value_or(0), 0);
  EXPECT_THAT(gpu_driver_version().value(), MatchesRegex("[0-9]+\\.[0-9.]+"));
}

TEST_F(CudaDeviceTest, TellsHowMuchOfADevicesMemoryIsTaken) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  const std::int64_t before = gpu_memory_in_use(0).value();
  const DeviceMemory memory = make_device_memory(kBytes);
  EXPECT_NEAR(static_cast<double>(gpu_memory_in_use(0).value() - before), kBytes, 64 << 20);
}

TEST_F(CudaDeviceTest, NamesADeviceThatTheDriverDoesNotKnow) {
  std::string why_not;
  const std::string uuid = "GPU-00000000-0000-0000-0000-000000000000";
  EXPECT_FALSE(make_gpu_monitor(uuid, why_not));
  EXPECT_THAT(why_not, HasSubstr(uuid));
}

TEST_F(CudaDeviceTest, RefusesADeviceBeyondTheLastAndLeavesNoErrorBehind) {
  const int beyond = static_cast<int>(find_gpus().gpus.size());
  try {
    use_gpu(beyond);
    FAIL() << "there is no such device";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cudaErrorInvalidDevice"));
    EXPECT_THAT(error.what(), HasSubstr("cuda_backend.cpp:"));
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(CudaDeviceTest, DelayStretchesWhatLiesBetweenItsTwoEndsByAFraction) {
  const auto delay = make_gpu_delay(0);
  const Stream stream = make_stream();
  const DeviceQueue queue = queue_of(stream);
  auto clock = make_cuda_device_clock(0, 2);
  delay->enqueue(queue, 30ms);  // before it: not counted
  const DeviceMark begin = clock->mark(queue).value();
  EXPECT_TRUE(delay->begin_stretch(queue));
  delay->enqueue(queue, 20ms);
  EXPECT_TRUE(delay->end_stretch(queue, 0.5));
  const DeviceMark end = clock->mark(queue).value();
  check(cudaStreamSynchronize(stream.get()));
  ASSERT_EQ(clock->query(begin), MarkState::kReached);
  ASSERT_EQ(clock->query(end), MarkState::kReached);
  const Nanos both = clock->elapsed(begin, end).value();
  EXPECT_GE(both, 30ms - 10us);
  EXPECT_LT(both, 33ms);
}

TEST_F(CudaDeviceTest, ClockLeavesNoErrorOfAPendingOrRefusedMarkBehind) {
  use_gpu(0);
  const Stream stream = make_stream();
  const auto delay = make_gpu_delay(0);
  const auto clock = make_cuda_device_clock(0, 2);
  delay->enqueue(queue_of(stream), 100ms);
  const DeviceMark mark = clock->mark(queue_of(stream)).value();
  EXPECT_EQ(clock->query(mark), MarkState::kPending);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  check(cudaStreamSynchronize(stream.get()));
  EXPECT_EQ(clock->query(mark), MarkState::kReached);

  // An event that a capture has recorded stands for no time: to query it is an error.
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  const auto captured = clock->mark(queue_of(stream));
  ASSERT_TRUE(captured);
  EXPECT_EQ(clock->query(*captured), MarkState::kFailed);
  EXPECT_EQ(clock->query(*captured), MarkState::kFailed);
  EXPECT_EQ(clock->counters().errored, 1) << "counted once";
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  cudaGraph_t graph = nullptr;
  static_cast<void>(cudaStreamEndCapture(stream.get(), &graph));
  if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
  forget_last_error();
}

// A graph of two event records around 5 ms of work, whose events are exchanged before the launch.
TEST_F(CudaDeviceTest, MeasuresInsideACapturedGraphByReservedMarks) {
  use_gpu(0);
  const Stream stream = make_stream();
  const auto delay = make_gpu_delay(0);
  const auto clock = make_cuda_device_clock(0, 4);
  const Event before = make_event(cudaEventDefault);
  const Event after = make_event(cudaEventDefault);
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  check(cudaEventRecordWithFlags(before.get(), stream.get(), cudaEventRecordExternal));
  delay->enqueue(queue_of(stream), 5ms);
  check(cudaEventRecordWithFlags(after.get(), stream.get(), cudaEventRecordExternal));
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream.get(), &graph));
  cudaGraphExec_t executable = nullptr;
  check(cudaGraphInstantiate(&executable, graph, 0));

  const DeviceMark begin = clock->reserve().value();
  const DeviceMark end = clock->reserve().value();
  std::size_t count = 0;
  check(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  check(cudaGraphGetNodes(graph, nodes.data(), &count));
  int retargeted = 0;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    check(cudaGraphNodeGetType(node, &type));
    if (type != cudaGraphNodeTypeEventRecord) continue;
    cudaEvent_t event = nullptr;
    check(cudaGraphEventRecordNodeGetEvent(node, &event));
    const DeviceMark mark = event == before.get() ? begin : end;
    const auto target = reinterpret_cast<cudaEvent_t>(clock->event_of(mark));
    check(cudaGraphExecEventRecordNodeSetEvent(executable, node, target));
    ++retargeted;
  }
  EXPECT_EQ(retargeted, 2);
  check(cudaGraphLaunch(executable, stream.get()));
  check(cudaStreamSynchronize(stream.get()));
  EXPECT_EQ(clock->query(begin), MarkState::kReached);
  EXPECT_EQ(clock->query(end), MarkState::kReached);
  const auto elapsed = clock->elapsed(begin, end);
  ASSERT_TRUE(elapsed);
  EXPECT_GE(*elapsed, 4ms);
  EXPECT_LE(*elapsed, 6ms);
  check(cudaGraphExecDestroy(executable));
  check(cudaGraphDestroy(graph));
}

}  // namespace
}  // namespace traceml
