#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "harness/codec/kineto_trace.h"
#include "harness/codec/run_trace_file.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::TemporaryFolder;

HostSpan host(NameIndex name, Nanos start, Nanos duration, HostKind kind) {
  HostSpan span;
  span.name = name;
  span.start = start;
  span.duration = duration;
  span.kind = kind;
  return span;
}

// A step with one phase, a call in it and a kernel that the call launched.
RunTrace trace() {
  RunTrace trace;
  trace.rank = Rank{3};
  trace.world_size = 4;
  TimelineEvents& events = trace.events;
  events.names = {"ProfilerStep#5", "forward", "cudaLaunchKernel", "void gemm<\"a\\b\">(float*)",
                  "grid 128x2x1 block 256x1x1"};
  events.threads = {{"0", "481", "training"}};
  events.devices = {"0"};
  events.streams = {{.device = 0, .stream = "13"}};
  events.facts.devices = "NVIDIA H200";
  events.base = 1'764'000'000s;
  events.host = {host(0, 10ms, 5ms, HostKind::kAnnotation),
                 host(1, 11ms, 2ms + 1ns, HostKind::kAnnotation),
                 host(2, 11ms + 123ns, 7us, HostKind::kCall)};
  events.host.back().correlation = 77;
  DeviceSpan kernel;
  kernel.start = 11ms + 9us + 7ns;
  kernel.duration = 40us + 1ns;
  kernel.name = 3;
  kernel.shape = 4;
  kernel.correlation = 77;
  kernel.graph_node = (std::int64_t{2} << 32) + 9;
  events.device = {kernel};
  OwnTraceFacts own;
  own.arm = "shipped";
  own.collector = "CUPTI";
  own.asked = "kernel, runtime";
  own.cycle = 1;
  own.first_step = 5;
  own.queue_capacity = 8;
  own.clock_drift_ns = -17;
  own.event_ns[index_of(Phase::kForward)] = 2'000'001;
  own.graph_nodes_before[index_of(Phase::kBackward)] = 300;
  events.facts.own = own;
  trace.step_ends = {15ms};
  return trace;
}

TimelineEvents written_and_read(const RunTrace& trace) {
  return read_kineto_bytes(pack_run_trace(trace), "trace.json.gz");
}

TEST(RunTraceFile, ReadsBackAsItWasWrittenToTheNanosecond) {
  const TimelineEvents read = written_and_read(trace());
  ASSERT_EQ(read.host.size(), 3u);
  EXPECT_EQ(read.names[read.host[1].name], "forward");
  EXPECT_EQ(read.host[1].start - read.host[0].start, 1ms);
  EXPECT_EQ(read.host[1].duration, 2ms + 1ns);
  EXPECT_EQ(read.host[2].kind, HostKind::kCall);
  EXPECT_EQ(read.host[2].correlation, 77);
  ASSERT_EQ(read.device.size(), 1u);
  const DeviceSpan& kernel = read.device.front();
  EXPECT_EQ(kernel.start - read.host[0].start, 1ms + 9us + 7ns);
  EXPECT_EQ(kernel.duration, 40us + 1ns);
  EXPECT_EQ(read.names[kernel.name], "void gemm<\"a\\b\">(float*)");
  EXPECT_EQ(read.names[*kernel.shape], "grid 128x2x1 block 256x1x1");
  EXPECT_EQ(kernel.graph_node, (std::int64_t{2} << 32) + 9);
  EXPECT_EQ(read.streams[kernel.stream].stream, "13");
  EXPECT_EQ(read.devices, std::vector<std::string>{"0"});
}

TEST(RunTraceFile, TheClocksBaseTakesTimesToUnixTime) {
  const TimelineEvents read = written_and_read(trace());
  EXPECT_EQ(read.base + read.host[0].start, 1'764'000'000s + 10ms);
}

TEST(RunTraceFile, KeepsRankThreadAndWhatTheRunSaysOfItself) {
  const TimelineEvents read = written_and_read(trace());
  EXPECT_EQ(read.rank, 3);
  EXPECT_EQ(read.world_size, 4);
  EXPECT_EQ(read.threads[read.host[2].thread].name, "training");
  EXPECT_EQ(read.facts.devices, "1 x NVIDIA H200");
  ASSERT_TRUE(read.facts.own.has_value());
  const OwnTraceFacts& own = *read.facts.own;
  EXPECT_EQ(own.arm, "shipped");
  EXPECT_EQ(own.collector, "CUPTI");
  EXPECT_EQ(own.cycle, 1);
  EXPECT_EQ(own.first_step, 5);
  EXPECT_EQ(own.queue_capacity, 8);
  EXPECT_EQ(own.clock_drift_ns, -17);
  EXPECT_EQ(own.event_ns[index_of(Phase::kForward)], 2'000'001);
  EXPECT_EQ(own.event_ns[index_of(Phase::kLoss)], std::nullopt);
  EXPECT_EQ(own.graph_nodes_before[index_of(Phase::kBackward)], 300);
}

TEST(RunTraceFile, ATraceOfAnotherProfilerIsNotTakenForOurs) {
  const TimelineEvents read = read_kineto_bytes(R"({"traceEvents":[]})", "other.json");
  EXPECT_FALSE(read.facts.own.has_value());
}

TEST(RunTraceFile, OperatorsReadBackWithTheirSizes) {
  RunTrace one = trace();
  one.events.names.insert(one.events.names.end(), {"aten::conv2d", "[[8,3,32,32],[],[[2],[3,4]]]"});
  one.events.facts.record_shapes = true;
  one.events.facts.own->operators = 1;
  one.events.facts.own->dropped_operators = 4;
  OperatorSpan span;
  span.start = 11ms + 100ns;
  span.duration = 9us + 3ns;
  span.sequence = 12;
  span.name = 5;
  span.dims = 6;
  one.operators = {span};
  const TimelineEvents read = written_and_read(one);
  ASSERT_EQ(read.host.size(), 4u);
  const HostSpan& written = read.host.back();
  EXPECT_EQ(written.kind, HostKind::kOperator);
  EXPECT_EQ(read.names[written.name], "aten::conv2d");
  EXPECT_EQ(written.start - read.host[0].start, 1ms + 100ns);
  EXPECT_EQ(written.duration, 9us + 3ns);
  ASSERT_TRUE(written.shape.has_value());
  EXPECT_EQ(read.names[*written.shape], "8x3x32x32, -, 2;3x4");
  EXPECT_TRUE(read.facts.record_shapes);
  EXPECT_EQ(read.facts.own->dropped_operators, 4);
  EXPECT_FALSE(written_and_read(trace()).facts.record_shapes);
}

TEST(RunTraceFile, DriverCallsHaveTheProfilersCategory) {
  RunTrace one = trace();
  one.events.names[2] = "cuLaunchKernel";
  EXPECT_EQ(written_and_read(one).host[2].kind, HostKind::kCall);
}

TEST(RunTraceFile, ARunThatTracedNothingHasNoFiles) {
  const TemporaryFolder folder;
  EXPECT_TRUE(run_trace_cycles(folder.path()).empty());
  EXPECT_TRUE(run_trace_files(folder.path(), 0).empty());
}

TEST(RunTraceFile, FilesAreFoundByCycleAndRankWhateverElseLiesThere) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/trace");
  for (const std::string& name :
       {run_trace_name(Rank{10}, 0), run_trace_name(Rank{2}, 0), run_trace_name(Rank{2}, 3),
        std::string("rank_0001.cycle_0.json.gz.tmp"), std::string("notes.txt")}) {
    std::ofstream(folder.path() + "/trace/" + name) << "x";
  }
  EXPECT_THAT(run_trace_cycles(folder.path()), ElementsAre(0, 3));
  EXPECT_THAT(
      run_trace_files(folder.path(), 0),
      ElementsAre(EndsWith("rank_0002.cycle_0.json.gz"), EndsWith("rank_0010.cycle_0.json.gz")));
}

}  // namespace
}  // namespace traceml
