// Records made by hand: no library and no device is needed.

#include "harness/backends/cupti/cupti_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/backends/cupti/cupti_buffers.h"
#include "harness/backends/cupti/cupti_clock.h"
#include "harness/backends/cupti/cupti_names.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

constexpr std::uint64_t kEpoch = 1'764'000'000'000'000'000;  // of CUPTI's clock: Unix time
constexpr Nanos kBegin = 1s;                                 // of the steady clock, at kEpoch
constexpr std::uint32_t kTraining = 100, kAutograd = 101;

ClockMap equal_clocks() {
  const auto epoch = static_cast<std::int64_t>(kEpoch);
  return {ClockPair{epoch, kBegin, 20ns}, ClockPair{epoch + 1'000'000'000, kBegin + 1s, 30ns}};
}

std::string call_name(CUpti_CallbackDomain domain, CUpti_CallbackId) {
  return domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "cudaLaunchKernel_v7000" : "cuLaunchKernel_ptsz";
}

class CuptiRecordsTest : public testing::Test {
 protected:
  void launch(std::uint32_t correlation, std::uint64_t at, std::uint32_t thread = kTraining) {
    CUpti_ActivityAPI call{};
    call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
    call.start = kEpoch + at;
    call.end = kEpoch + at + 5'000;
    call.threadId = thread;
    call.correlationId = correlation;
    add(call);
  }

  void kernel(std::uint32_t correlation, std::uint64_t at, std::uint64_t length = 40'000) {
    CUpti_ActivityKernel10 kernel{};
    kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    kernel.start = at == 0 ? 0 : kEpoch + at;
    kernel.end = at == 0 ? 0 : kEpoch + at + length;
    kernel.streamId = 7;
    kernel.correlationId = correlation;
    kernel.gridX = 128;
    kernel.gridY = kernel.gridZ = 1;
    kernel.blockX = 256;
    kernel.blockY = kernel.blockZ = 1;
    kernel.name = "_ZN3abc4gemmEi";
    kernel.graphNodeId = graph_node;
    add(kernel);
  }

  template <class Record>
  void add(const Record& record) {
    records_.add(reinterpret_cast<const CUpti_Activity&>(record));
  }

  std::uint64_t graph_node = 0;
  CuptiRecords records_{equal_clocks(), kBegin, kTraining, call_name};
};

TEST_F(CuptiRecordsTest, AKernelKeepsItsTimesNameShapeAndCall) {
  launch(5, 10'000);
  kernel(5, 30'000);
  const TimelineEvents events = records_.take();
  ASSERT_EQ(events.device.size(), 1u);
  const DeviceSpan& kernel = events.device.front();
  EXPECT_EQ(kernel.start, kBegin + 30us);
  EXPECT_EQ(kernel.duration, 40us);
  EXPECT_EQ(kernel.correlation, 5);
  EXPECT_EQ(kernel.graph_node, std::nullopt);
  EXPECT_EQ(events.names[kernel.name], "abc::gemm(int)");
  EXPECT_EQ(events.names[*kernel.shape], "grid 128x1x1 block 256x1x1");
  EXPECT_EQ(events.streams[kernel.stream].stream, "7");
  ASSERT_EQ(events.host.size(), 1u);
  EXPECT_EQ(events.names[events.host.front().name], "cudaLaunchKernel");
  EXPECT_EQ(events.host.front().start, kBegin + 10us);
}

TEST_F(CuptiRecordsTest, TheTrainingThreadIsTheFirstAlsoWhereAnotherRecordsFirst) {
  launch(5, 10'000, kAutograd);
  launch(6, 20'000, kTraining);
  const TimelineEvents events = records_.take();
  ASSERT_EQ(events.threads.size(), 2u);
  EXPECT_EQ(events.threads[0].thread, "100");
  EXPECT_EQ(events.host[0].thread, 1u);
  EXPECT_EQ(events.host[1].thread, 0u);
}

TEST_F(CuptiRecordsTest, WorkWithoutTimesOrBeforeItsLaunchIsCountedAndLeftOut) {
  launch(5, 10'000);
  kernel(5, 30'000);
  launch(6, 50'000);
  kernel(6, 49'000);
  kernel(7, 0);
  const TimelineEvents events = records_.take();
  EXPECT_EQ(events.device.size(), 1u);
  EXPECT_EQ(events.facts.own->before_launch, 1);
  EXPECT_EQ(events.facts.own->without_times, 1);
}

TEST_F(CuptiRecordsTest, WhatBeganBeforeTheCollectionIsLeftOut) {
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.start = kEpoch - 1'000;
  call.end = kEpoch + 1'000;
  add(call);
  EXPECT_TRUE(records_.take().host.empty());
}

TEST_F(CuptiRecordsTest, NodesOfAGraphKeepTheirIds) {
  graph_node = (std::uint64_t{3} << 32) + 17;
  kernel(5, 30'000);
  EXPECT_EQ(records_.take().device.front().graph_node, (std::int64_t{3} << 32) + 17);
}

TEST_F(CuptiRecordsTest, CopiesAndMemsetsHaveBytesAndTheProfilersNames) {
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  copy.bytes = 4096;
  copy.start = kEpoch + 100;
  copy.end = kEpoch + 200;
  add(copy);
  CUpti_ActivityMemset4 memset{};
  memset.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  memset.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memset.bytes = 512;
  memset.start = kEpoch + 300;
  memset.end = kEpoch + 400;
  add(memset);
  const TimelineEvents events = records_.take();
  ASSERT_EQ(events.device.size(), 2u);
  EXPECT_EQ(events.names[events.device[0].name], "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(events.device[0].bytes, 4096);
  EXPECT_EQ(events.names[events.device[1].name], "Memset (Device)");
  EXPECT_EQ(events.device[1].bytes, 512);
}

TEST_F(CuptiRecordsTest, KindsThatWereNeverSeenAreNamed) {
  launch(5, 10'000);
  kernel(5, 30'000);
  const TimelineEvents events = records_.take();
  EXPECT_EQ(events.facts.own->seen, "kernel, runtime");
  EXPECT_EQ(events.facts.own->absent,
            "memcpy, peer memcpy, memset, driver, synchronisation, overhead");
}

TEST(CuptiClock, TheClosestOfSeveralReadsIsTaken) {
  int read = 0;
  Nanos now = 0ns;
  const ClockPair pair = read_together(
      [&] {
        now += read == 3 ? 10ns : 500ns;
        return std::int64_t{1000} + ++read;
      },
      [&] { return now; });
  EXPECT_EQ(pair.other, 1004);
  EXPECT_EQ(pair.error, 5ns);
}

TEST(CuptiClock, DriftBetweenTheTwoReadsIsSpreadOverTheTime) {
  const ClockMap map(ClockPair{1'000'000, 5ms, 0ns}, ClockPair{2'000'000, 6ms + 400ns, 7ns});
  EXPECT_EQ(map.drift(), 400ns);
  EXPECT_EQ(map.error(), 7ns);
  EXPECT_EQ(map.steady(1'000'000), 5ms);
  EXPECT_EQ(map.steady(1'500'000), 5ms + 500us + 200ns);
  EXPECT_EQ(map.steady(2'000'000), 6ms + 400ns);
}

TEST(CuptiBuffersTest, AnEmptyPoolAllocatesRatherThanRefuse) {
  CuptiBuffers buffers(1);
  std::uint8_t* first = buffers.take();
  std::uint8_t* second = buffers.take();
  ASSERT_NE(second, nullptr);
  EXPECT_NE(first, second);
  buffers.give(first, 10);
  buffers.give(second, 20);
  std::vector<FilledBuffer> filled = buffers.filled();
  ASSERT_EQ(filled.size(), 2u);
  EXPECT_EQ(filled[0].used, 10u);
  EXPECT_EQ(filled[1].used, 20u);
  EXPECT_TRUE(buffers.filled().empty());
}

TEST(CuptiBuffersTest, ARecycledBufferIsZeroAgain) {
  CuptiBuffers buffers(1);
  std::uint8_t* bytes = buffers.take();
  bytes[0] = bytes[9] = 77;
  buffers.give(bytes, 10);
  buffers.recycle(buffers.filled());
  EXPECT_EQ(buffers.take(), bytes);
  EXPECT_THAT(std::vector<int>(bytes, bytes + 10), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  std::free(bytes);
}

TEST(CuptiNames, AVersionAndTheKindOfStreamBelongToNoName) {
  EXPECT_EQ(without_version("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(without_version("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(without_version("cuLaunchKernel"), "cuLaunchKernel");
  EXPECT_EQ(without_version("cuMemcpyHtoDAsync_v2"), "cuMemcpyHtoDAsync");
}

}  // namespace
}  // namespace traceml
