#include "harness/codec/kineto_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "harness/codec/trace_time.h"
#include "harness/core/error.h"

namespace traceml::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kKernel =
    R"({"ph": "X", "cat": "kernel", "name": "conv", "pid": 0, "tid": 7, "ts": 669899208508.115,
        "dur": 549.827, "args": {"External id": 29661, "queued": 0, "device": 0, "context": 1,
        "stream": 7, "correlation": 326650, "grid": [2, 12544, 1], "block": [128, 1, 1],
        "est. achieved occupancy %": 25}})";
constexpr const char* kLaunch =
    R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "pid": 36, "tid": 36,
        "ts": 669899193349.344, "dur": 9.329, "args": {"cbid": 430, "correlation": 326650}})";

std::string trace_of(const std::vector<std::string>& events, const std::string& header = "") {
  std::string text = "{" + header + "\"traceEvents\": [";
  for (const std::string& event : events) text += (text.back() == '[' ? "" : ",") + event;
  return text + "]}";
}

TimelineEvents read(const std::vector<std::string>& events, const std::string& header = "") {
  return read_kineto_bytes(trace_of(events, header), "a.json");
}

std::string fault_of(const std::string& text) {
  try {
    read_kineto_bytes(text, "a.json");
  } catch (const RunError& error) {
    return error.what();
  }
  return "";
}

std::string gzipped(const std::string& text) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&state, text.size()) + 64, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, Z_FINISH);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

TEST(TraceTime, IsReadFromTheDigitsToTheNanosecond) {
  EXPECT_EQ(trace_time("669899193162.801"), Nanos{669899193162801});
  EXPECT_EQ(trace_time("1758067458000123.457"), Nanos{1758067458000123457});  // no double holds it
  EXPECT_EQ(trace_time("0"), Nanos{0});
  EXPECT_EQ(trace_time("-3.5"), Nanos{-3500});
  EXPECT_EQ(trace_time("12"), Nanos{12000});
  EXPECT_EQ(trace_time("0.0009"), Nanos{0});
  EXPECT_EQ(trace_time("1.5e3"), Nanos{1500000});
  EXPECT_EQ(trace_time("1234567E-3"), Nanos{1234567});
  EXPECT_EQ(trace_time("5.000000000000000000000001"), Nanos{5000});
  EXPECT_EQ(trace_time("0e999999999"), std::nullopt);
  EXPECT_EQ(trace_time("1e30"), std::nullopt);
  EXPECT_EQ(trace_time("99999999999999999999"), std::nullopt);
  for (const char* text : {"", "-", ".", "1.2.3", "abc", "1e", "1x", "0x10"}) {
    EXPECT_EQ(trace_time(text), std::nullopt) << text;
  }
}

TEST(KinetoTrace, GivesHostAndDeviceSpans) {
  const TimelineEvents events = read({kLaunch, kKernel});
  ASSERT_EQ(events.host.size(), 1U);
  ASSERT_EQ(events.device.size(), 1U);
  EXPECT_EQ(events.host[0].start, Nanos{669899193349344});
  EXPECT_EQ(events.host[0].kind, HostKind::kCall);
  EXPECT_EQ(events.names[events.host[0].name], "cudaLaunchKernelExC");
  EXPECT_EQ(events.host[0].correlation, 326650);
  const DeviceSpan& kernel = events.device[0];
  EXPECT_EQ(kernel.end(), Nanos{669899208508115 + 549827});
  EXPECT_EQ(kernel.correlation, 326650);
  EXPECT_EQ(events.names[kernel.shape.value()], "grid 2x12544x1 block 128x1x1");
  EXPECT_EQ(events.devices, std::vector<std::string>{"0"});
  EXPECT_EQ(events.streams.at(0).stream, "7");
  EXPECT_EQ(events.threads.at(0).thread, "36");
  EXPECT_EQ(events.facts.device_time_step_ns, 1);
}

TEST(KinetoTrace, IsReadWhateverTheOrderOfKeysAndEvents) {
  const TimelineEvents events = read(
      {R"({"args": {"correlation": 5}, "dur": 2, "ts": 10, "tid": 1, "pid": 1,
                "name": "conv", "cat": "kernel", "ph": "X"})",
       R"({"ph": "X", "cat": "cpu_op", "name": "outer", "pid": 1, "tid": 1, "ts": 3, "dur": 9})",
       R"({"ph": "X", "cat": "cpu_op", "name": "early", "pid": 1, "tid": 1, "ts": 1, "dur": 1})"});
  EXPECT_EQ(events.device.size(), 1U);
  EXPECT_EQ(events.host.size(), 2U);
  EXPECT_EQ(events.device[0].correlation, 5);
}

TEST(KinetoTrace, TakesIdsThatAreNoNumbersOrNegative) {
  const TimelineEvents events = read(
      {R"({"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": "stream 7 compute", "ts": 1,
                "dur": 1})",
       R"({"ph": "X", "cat": "kernel", "name": "a", "pid": 0, "tid": -3, "ts": 1, "dur": 1})",
       R"({"ph": "X", "cat": "cpu_op", "name": "b", "pid": "python", "tid": -1, "ts": 1,
                "dur": 1})"});
  ASSERT_EQ(events.streams.size(), 2U);
  EXPECT_EQ(events.streams[0].stream, "stream 7 compute");
  EXPECT_EQ(events.streams[1].stream, "-3");
  EXPECT_EQ(events.threads.at(0).process, "python");
  EXPECT_FALSE(events.device[0].correlation);
}

TEST(KinetoTrace, CountsContextSyncsAndTakesNoneForWork) {
  const TimelineEvents events =
      read({kKernel, R"({"ph": "X", "cat": "cuda_sync", "name": "Context Sync", "pid": 0,
                         "tid": 4294967295, "ts": 669899208500.0, "dur": 90000.0,
                         "args": {"stream": 4294967295, "device": 0}})"});
  EXPECT_EQ(events.device.size(), 1U);
  EXPECT_EQ(events.facts.sync_events, 1);
}

TEST(KinetoTrace, LeavesOutWhatIsNoSpan) {
  const TimelineEvents events = read(
      {kKernel, R"({"ph": "f", "id": 1, "pid": 0, "tid": 7, "ts": 1, "cat": "ac2g", "bp": "e"})",
       R"({"ph": "X", "cat": "gpu_user_annotation", "name": "forward", "ts": 1, "dur": 1})",
       R"({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "ts": 1})",
       R"({"ph": "X", "cat": "cpu_op", "name": "open", "pid": 1, "tid": 1, "ts": 1})",
       R"({"ph": "X", "cat": "kernel", "name": "lost", "ts": 0, "dur": 0})"});
  EXPECT_EQ(events.device.size(), 1U);
  EXPECT_TRUE(events.host.empty());
  EXPECT_EQ(events.facts.events, 6);
  EXPECT_EQ(events.facts.without_duration, 1);
  EXPECT_EQ(events.facts.zero_device_times, 1);
}

TEST(KinetoTrace, KeepsWhatIsToldOfACollective) {
  const TimelineEvents events = read(
      {R"({"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0,
                "tid": 20, "ts": 1, "dur": 9, "args": {"Collective name": "allreduce",
                "In msg nelems": 6553600, "Out msg nelems": 6553600, "Group size": 8,
                "dtype": "Float", "Process Group Name": "0", "Seq": 17}})"});
  const CollectiveFacts& facts = events.collectives.at(events.device.at(0).collective.value());
  EXPECT_EQ(facts.operation, "allreduce");
  EXPECT_EQ(facts.group, "0");
  EXPECT_EQ(facts.sequence, 17);
  EXPECT_EQ(facts.elements_in, 6553600);
  EXPECT_EQ(facts.group_size, 8);
  EXPECT_EQ(facts.type, "Float");
}

TEST(KinetoTrace, KeepsShapesOfOperatorsInShort) {
  const auto shape_of = [](const std::string& dims) -> std::string {
    const TimelineEvents events =
        read({R"({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 1,
                  "args": {"Input Strides": [[9]], "Input Dims": )" +
              dims + R"(, "Ev Idx": 7}})"});
    const auto shape = events.host.at(0).shape;
    return shape ? events.names[*shape] : "none";
  };
  EXPECT_EQ(shape_of("[[8, 3, 32, 32], [8], [], []]"), "8x3x32x32, 8, -, -");
  EXPECT_EQ(shape_of("[[[2], [3, 4]], []]"), "2;3x4, -");
  EXPECT_EQ(shape_of("[[-1, 3]]"), "-1x3");
  EXPECT_EQ(shape_of("[]"), "none");
  EXPECT_EQ(shape_of("\"\""), "none");
  std::string many;
  for (int i = 0; i < 500; ++i) many += "1, ";
  EXPECT_LT(shape_of("[[" + many + "1]]").size(), 220U);
}

TEST(KinetoTrace, KeepsRecordsOfMemory) {
  const auto record = [](const std::string& args) {
    return R"({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1,
               "tid": 1, "ts": 5.5, "args": {)" +
           args + "}}";
  };
  const TimelineEvents events =
      read({record(R"("Total Reserved": 0, "Total Allocated": 98304, "Bytes": 98304,
                      "Device Id": -1, "Device Type": 0)"),
            record(R"("Total Reserved": 2097152, "Total Allocated": 512, "Bytes": -512,
                      "Device Id": 3, "Device Type": 1)"),
            record(R"("Total Reserved": -7, "Total Allocated": 4, "Device Type": 0)"),
            record(R"("Total Allocated": -1, "Device Type": 0)"),
            record(R"("Total Allocated": 99999999999999999999, "Device Type": 0)"),
            record(R"("Bytes": 12)")},
           "\"profile_memory\": 1, \"record_shapes\": 1, ");
  EXPECT_EQ(events.memories, (std::vector<std::string>{"host", "3"}));
  ASSERT_EQ(events.memory.size(), 3U);
  EXPECT_EQ(events.memory[2].reserved_bytes, std::nullopt) << "not told";
  EXPECT_EQ(events.memory[0].when, Nanos{5500});
  EXPECT_EQ(events.memory[0].allocated_bytes, 98304);
  EXPECT_EQ(events.memory[0].reserved_bytes, 0) << "none is kept";
  EXPECT_EQ(events.memory[1].reserved_bytes, 2097152);
  EXPECT_TRUE(events.facts.profile_memory);
  EXPECT_TRUE(events.facts.record_shapes);
  EXPECT_FALSE(events.facts.with_stack);
}

TEST(KinetoTrace, TakesRankAndDevicesFromTheHeaderAndNoName) {
  const TimelineEvents events =
      read({kKernel},
           R"("hostname": "gpu-17.example", "user": "ann", "with_stack": 1,
         "deviceProperties": [{"id": 0, "name": "NVIDIA H200"}, {"id": 1, "name": "NVIDIA H200"}],
         "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8,
                             "pg_config": [{"ranks": [0]}]},
         "baseTimeNanoseconds": 1758067458000000000, )");
  EXPECT_EQ(events.rank, 3);
  EXPECT_EQ(events.world_size, 8);
  EXPECT_EQ(events.base, Nanos{1758067458000000000});
  EXPECT_EQ(events.facts.devices, "2 x NVIDIA H200");
  EXPECT_TRUE(events.facts.with_stack);
  for (const std::string& name : events.names) EXPECT_THAT(name, ::testing::Not(HasSubstr("ann")));
}

TEST(KinetoTrace, KeepsNoFolderOfThePythonFrames) {
  const auto frame = [](const std::string& name) {
    return R"({"ph": "X", "cat": "python_function", "pid": 1, "tid": 1, "ts": 1, "dur": 1,
               "name": ")" +
           name + "\"}";
  };
  const TimelineEvents events =
      read({frame("/home/ann/my job/train.py(12): main"), frame("/data/ann/train.py(12): main"),
            frame("/home/ann/my job/train.py(12): main"), frame("torch/nn/module.py(9): call")});
  EXPECT_EQ(events.names,
            (std::vector<std::string>{".../train.py(12): main", "torch/nn/module.py(9): call"}));
  EXPECT_EQ(events.host.at(1).name, events.host.at(2).name);
}

TEST(KinetoTrace, LeavesOutNumbersOfOurHeaderThatNoRunWrites) {
  const auto facts_of = [](const std::string& numbers) {
    return *read({kKernel}, "\"traceml_bench\": {" + numbers + "},").facts.own;
  };
  const OwnTraceFacts whole = facts_of(
      R"("cycle": 2, "clock_drift_ns": -36028797018963968, "buffer_bytes": 36028797018963968,
         "event_forward_ns": 7, "graph_forward_node": 0)");
  EXPECT_EQ(whole.cycle, 2);
  EXPECT_EQ(whole.clock_drift_ns, -(std::int64_t{1} << 55));
  EXPECT_EQ(whole.buffer_bytes, std::int64_t{1} << 55);
  EXPECT_EQ(whole.event_ns[index_of(Phase::kForward)], 7);
  EXPECT_EQ(whole.graph_nodes_before[index_of(Phase::kForward)], 0);

  const OwnTraceFacts wrong = facts_of(
      R"("cycle": -1, "clock_drift_ns": -9223372036854775808, "buffer_bytes": 36028797018963969,
         "dropped_records": 9223372036854775807, "without_times": -3,
         "event_forward_ns": 9223372036854775807, "graph_forward_node": -1)");
  EXPECT_EQ(wrong.cycle, 0);
  EXPECT_EQ(wrong.clock_drift_ns, 0);
  EXPECT_EQ(wrong.buffer_bytes, 0);
  EXPECT_EQ(wrong.dropped_records, 0);
  EXPECT_EQ(wrong.without_times, 0);
  EXPECT_EQ(wrong.event_ns[index_of(Phase::kForward)], std::nullopt);
  EXPECT_EQ(wrong.graph_nodes_before[index_of(Phase::kForward)], std::nullopt);
}

TEST(KinetoTrace, TellsWhenDecimalsWereLost) {
  const TimelineEvents events =
      read({R"({"ph": "X", "cat": "kernel", "name": "a", "ts": 1758067458000123.25, "dur": 8})",
            R"({"ph": "X", "cat": "kernel", "name": "a", "ts": 1758067458000199.5, "dur": 9.75})"});
  EXPECT_EQ(events.facts.device_time_step_ns, 250);
}

TEST(KinetoTrace, MayBeABareListOrGzipped) {
  EXPECT_EQ(read_kineto_bytes("[" + std::string(kKernel) + "]", "a").device.size(), 1U);
  const std::string text = trace_of({kKernel, kLaunch});
  EXPECT_EQ(read_kineto_bytes(gzipped(text), "a").device.size(), 1U);
  const std::string half = text.substr(0, 100);
  EXPECT_EQ(read_kineto_bytes(gzipped(half) + gzipped(text.substr(100)), "a").host.size(), 1U);
}

TEST(KinetoTrace, MayHaveZerosBehindItsPackedBytes) {
  const std::string packed = gzipped(trace_of({kKernel, kLaunch}));
  EXPECT_EQ(read_kineto_bytes(packed + std::string(1000, '\0'), "a").device.size(), 1U);
  EXPECT_THAT(fault_of(packed + "more"), HasSubstr("packed bytes are damaged"));
}

TEST(KinetoTrace, RefusesBytesBehindItsEnd) {
  const std::string whole = trace_of({kKernel});
  EXPECT_EQ(fault_of(whole + std::string(1, '\0') + "tail"),
            "a.json, byte " + std::to_string(whole.size()) +
                ": more follows behind the end of the trace; copy it again");
  EXPECT_EQ(fault_of(whole + " \n"), "");
  EXPECT_THAT(fault_of(whole + "tail"), HasSubstr("is not JSON here"));
}

TEST(KinetoTrace, TakesNoBytesThatNoMemoryHas) {
  const auto copy = [](const std::string& bytes) {
    return R"({"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 1,
               "dur": 1, "args": {"bytes": )" +
           bytes + "}}";
  };
  const TimelineEvents events = read(
      {copy("4096"), copy("-5"), copy("9223372036854775807"), copy("99999999999999999999999")});
  ASSERT_EQ(events.device.size(), 4U);
  EXPECT_EQ(events.device[0].bytes, 4096);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(events.device[i].bytes, std::nullopt) << i;
}

TEST(KinetoTrace, IsReadFromAFileOfAnyNameInPieces) {
  std::vector<std::string> events(5000, kKernel);  // more than one piece
  const std::string path =
      (std::filesystem::temp_directory_path() / ("kineto_" + std::to_string(::getpid()) + ".txt"))
          .string();
  std::ofstream(path, std::ios::binary) << gzipped(trace_of(events));
  EXPECT_EQ(read_kineto_trace(path).device.size(), 5000U);
  std::ofstream(path, std::ios::binary) << trace_of(events);
  EXPECT_EQ(read_kineto_trace(path).device.size(), 5000U);
  std::filesystem::remove(path);
  EXPECT_THROW(read_kineto_trace(path), RunError);
}

TEST(KinetoTrace, NamesTheFileAndThePlaceOfAFault) {
  const std::string whole = trace_of({kKernel});
  EXPECT_EQ(fault_of(""),
            "a.json, byte 0: it ends too early to be a whole trace; was the job "
            "stopped while it wrote it?");
  EXPECT_THAT(fault_of(whole.substr(0, whole.size() - 30)), HasSubstr("ends too early"));
  EXPECT_THAT(fault_of("{\"traceEvents\": [}"), HasSubstr("a.json, byte 17: is not JSON here"));
  EXPECT_THAT(fault_of("{}"), HasSubstr("holds no traceEvents"));
  EXPECT_THAT(fault_of("7"), HasSubstr("is no trace"));
  EXPECT_THAT(fault_of("\"text\""), HasSubstr("is no trace"));
  EXPECT_THAT(fault_of("null"), HasSubstr("is no trace"));
  EXPECT_THAT(fault_of(std::string(100'000, '[')), HasSubstr("nested deeper than 100 levels"));
  EXPECT_THAT(fault_of(trace_of({kKernel, R"({"ph": "X", "cat": "kernel", "dur": 1})"})),
              HasSubstr("event 2 has no ts"));
  EXPECT_THAT(fault_of(trace_of({R"({"ph": "X", "cat": "kernel", "ts": "soon", "dur": 1})"})),
              HasSubstr("event 1 has a ts that is no time"));
  EXPECT_THAT(fault_of(gzipped(whole).substr(0, 60)), HasSubstr("packed bytes"));
  std::string damaged = gzipped(whole);
  damaged[20] = static_cast<char>(damaged[20] ^ 0x55);
  EXPECT_NE(fault_of(damaged), "");
}

TEST(KinetoTrace, RefusesMoreDevicesThanAnyProcessDrives) {
  const auto kernels = [](int devices) {
    std::vector<std::string> events;
    for (int i = 0; i < devices; ++i) {
      events.push_back(
          R"({"ph": "X", "cat": "kernel", "name": "a", "tid": 7, "ts": 1, "dur": 1, "pid": )" +
          std::to_string(i) + "}");
    }
    return trace_of(events);
  };
  EXPECT_EQ(fault_of(kernels(256)), "");
  EXPECT_THAT(fault_of(kernels(257)), HasSubstr("event 257 is of one more device than the 256"));
  std::vector<std::string> records;
  for (int i = 0; i < 257; ++i) {
    records.push_back(R"({"ph": "i", "name": "[memory]", "ts": 1, "args": {"Total Allocated": 1,
                          "Device Type": 1, "Device Id": )" +
                      std::to_string(i) + "}}");
  }
  EXPECT_THAT(fault_of(trace_of(records)), HasSubstr("event 257 is of one more device"));
}

TEST(RankInFileName, IsTheNumberAfterTheWord) {
  EXPECT_EQ(rank_in_file_name("traces/rank_3.json.gz"), 3);
  EXPECT_EQ(rank_in_file_name("rank12.pt.trace.json"), 12);
  EXPECT_EQ(rank_in_file_name("job-rank-0_17.json"), 0);
  EXPECT_EQ(rank_in_file_name("rank_4/trace.json"), std::nullopt);
  EXPECT_EQ(rank_in_file_name("frankfurt.json"), std::nullopt);
  EXPECT_EQ(rank_in_file_name("ranks_rank_2.json"), 2);
}

}  // namespace
}  // namespace traceml::testing
