#include "harness/codec/traceml_summary_write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/codec/stored_run.h"
#include "tests/codec/sample_runs.h"

namespace traceml::testing {
namespace {

using Json = nlohmann::json;

std::string text_of(const Sample& run) {
  return write_traceml_summary(run.info, run.plan, run.summary, "the text");
}

TEST(TracemlSummaryWrite, HoldsTheFirstArmThatIsNoReference) {
  Sample run = passed_run();
  const Json json = Json::parse(text_of(run));
  EXPECT_EQ(json["schema_version"], 1.9);
  EXPECT_EQ(json["traceml_bench"]["arm"], "shipped");
  const Json& step_time = json["step_time"];
  EXPECT_EQ(step_time["global"]["average"]["step_time_cpu_ms"],
            run.arm("shipped").global.step_cpu->count());
  EXPECT_EQ(step_time["groups"]["rows"].size(), 2U);
  EXPECT_EQ(step_time["groups"]["rows"]["1"]["identity"]["hostname"], "node0");
  EXPECT_EQ(step_time["global"]["window"]["diagnosis_clock"], "cpu");
  EXPECT_EQ(json["text"], "the text");
  EXPECT_EQ(json["primary_diagnosis"]["status"], step_time["diagnosis"]["status"]);
}

TEST(TracemlSummaryWrite, LeavesNullWhatWasNotMeasured) {
  const Json json = Json::parse(text_of(passed_run()));
  EXPECT_TRUE(json["step_time"]["global"]["average"].at("step_time_gpu_ms").is_null());
  EXPECT_TRUE(json["step_time"]["groups"]["rows"]["0"]["metrics"].at("step_time_gpu_ms").is_null());
  EXPECT_TRUE(json["step_time"]["global"]["worst"]["step_time_gpu_ms"].at("idx").is_null());
  EXPECT_TRUE(json["step_memory"]["global"]["worst"]["peak_reserved_bytes"].at("value").is_null());
}

TEST(TracemlSummaryWrite, HasNoGlobalDeviceTimeUnlessTheAnalysisHasOne) {
  Sample run = device_run();
  const std::string arm = Json::parse(text_of(run))["traceml_bench"]["arm"];
  run.arm(arm).global.step_gpu.reset();
  const Json global = Json::parse(text_of(run))["step_time"]["global"];
  EXPECT_TRUE(global["average"].at("step_time_gpu_ms").is_null());
}

TEST(TracemlSummaryWrite, IsReadBackAsTheSameFigures) {
  Sample run = passed_run();
  const StoredRun read = stored_run_of_text(text_of(run), "a.json", "");
  double largest = 0;
  for (const RankFigures& rank : run.arm("shipped").ranks) {
    largest = std::max(largest, rank.figures.step_cpu->count());
  }
  EXPECT_DOUBLE_EQ(read.step.step_cpu.value(), largest);
  EXPECT_FALSE(read.holds_warmup);
  EXPECT_EQ(read.gap_steps, 0);
  EXPECT_EQ(read.world_size, 2);
  EXPECT_TRUE(read.findings.empty());
}

TEST(TracemlSummaryWrite, OfARunThatFailedIsNoLaunch) {
  const StoredRun read = stored_run_of_text(text_of(run_with_missing_rank()), "a.json", "");
  EXPECT_EQ(read.void_reason, "its run's status is failed");
  ASSERT_FALSE(read.findings.empty());
  EXPECT_EQ(read.findings[0].reason, Reason::kMissingRank);
}

}  // namespace
}  // namespace traceml::testing
