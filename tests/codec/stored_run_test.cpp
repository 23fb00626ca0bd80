#include "harness/codec/stored_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/codec/run_json.h"
#include "harness/core/error.h"
#include "tests/codec/sample_runs.h"

namespace traceml::testing {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string path_of(const std::string& name) {
  return std::string(TRACEML_SOURCE_DIR) + "/tests/codec/traceml/" + name + ".json";
}

Json sample(const std::string& name) {
  std::FILE* file = std::fopen(path_of(name).c_str(), "rb");
  Json json = Json::parse(file);
  std::fclose(file);
  return json;
}

StoredRun read(const Json& json) {
  return stored_run_of_text(json.dump(), "a.json", "");
}

Json& metrics(Json& json, const std::string& rank) {
  return json["step_time"]["groups"]["rows"][rank]["metrics"];
}

std::vector<Reason> reasons_of(const StoredRun& run) {
  std::vector<Reason> reasons;
  for (const Finding& finding : run.findings) reasons.push_back(finding.reason);
  return reasons;
}

std::string sentence_of(const std::string& text, const std::string& arm = "") {
  try {
    stored_run_of_text(text, "a.json", arm);
  } catch (const UsageError& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "no error";
}

std::string sentence_of_json(const Json& json) {
  return sentence_of(json.dump());
}

TEST(TracemlSummary, OfTwoRanksGivesTheLargestRowAndTheMean) {
  const StoredRun run = read_stored_run(path_of("two_ranks_balanced"), "");
  EXPECT_EQ(run.world_size, 2);
  EXPECT_DOUBLE_EQ(run.step.step_cpu.value(), 5.523150563240051);
  EXPECT_DOUBLE_EQ(run.mean_over_ranks.step_cpu.value(),
                   (5.523150563240051 + 5.5114710330963135) / 2);
  EXPECT_EQ(run.step.step_gpu, std::nullopt);
  EXPECT_EQ(run.step.selected, Clock::kCpu);
  EXPECT_TRUE(run.holds_warmup);
  EXPECT_FALSE(run.wall_ms);
  EXPECT_EQ(run.gap_steps, 0);
  EXPECT_EQ(run.truncated_steps, 0);
  EXPECT_EQ(run.phases.count("h2d"), 0U);
  EXPECT_THAT(run.findings, IsEmpty());
}

TEST(TracemlSummary, OfAGpuHasBothClocks) {
  const StoredRun run = read_stored_run(path_of("single_rank_h200"), "");
  EXPECT_DOUBLE_EQ(run.step.step_gpu.value(), 45.83160597412712);
  EXPECT_DOUBLE_EQ(run.step.step_cpu.value(), 44.3679834667005);
  EXPECT_EQ(run.step.selected, Clock::kGpu);
}

TEST(TracemlSummary, ReadsItsDeclaredWorkload) {
  const StoredRun run = read_stored_run(path_of("single_rank_guarded"), "");
  EXPECT_THAT(run.declared,
              Contains(std::pair<std::string, std::string>("workload.parameters.batch", "32")));
}

TEST(TracemlSummary, TakesNoAverageOfTheFileWhereARankLacksTheDeviceClock) {
  Json json = sample("two_ranks_balanced");
  metrics(json, "0")["step_time_gpu_ms"] = 5.0;
  json["step_time"]["global"]["average"]["step_time_gpu_ms"] = 5.0;
  EXPECT_EQ(read(json).step.step_gpu, std::nullopt);
  metrics(json, "1")["step_time_gpu_ms"] = 10.0;
  EXPECT_EQ(read(json).step.step_gpu, 10.0);
}

TEST(TracemlSummary, WithFewerRowsThanRanksMissesARank) {
  Json json = sample("two_ranks_balanced");
  json["step_time"]["groups"]["rows"].erase("1");
  EXPECT_THAT(reasons_of(read(json)), ElementsAre(Reason::kMissingRank));
  EXPECT_FALSE(read(json).step.step_cpu);
  // Without what the launcher expected, what was observed counts.
  json["run_context"].erase("execution");
  EXPECT_THAT(reasons_of(read(json)), ElementsAre(Reason::kMissingRank));
  json["meta"]["world_size"] = 1;
  EXPECT_THAT(reasons_of(read(json)), ElementsAre(Reason::kMissingRank));
}

TEST(TracemlSummary, WithTwoRowsOfOneRankMissesARank) {
  Json json = sample("two_ranks_balanced");
  json["step_time"]["groups"]["rows"]["1"]["identity"]["global_rank"] = 0;
  EXPECT_THAT(reasons_of(read(json)), ElementsAre(Reason::kMissingRank));
}

TEST(TracemlSummary, WithMoreRowsThanRanksHasNoClock) {
  Json json = sample("two_ranks_balanced");
  json["run_context"]["execution"]["expected_world_size"] = 1;
  EXPECT_THAT(reasons_of(read(json)), ElementsAre(Reason::kNoCommonClock));
  EXPECT_FALSE(read(json).step.step_cpu);
}

TEST(TracemlSummary, TakesNoOtherThingForATime) {
  for (const char* value :
       {"NaN", "Infinity", "-Infinity", "true", "\"100\"", "0", "0.0", "-1.5", "[]", "{}"}) {
    Json json = sample("two_ranks_balanced");
    metrics(json, "1")["step_time_cpu_ms"] = "PLANTED";
    std::string text = json.dump();
    text.replace(text.find("\"PLANTED\""), 9, value);
    const StoredRun run = stored_run_of_text(text, "a.json", "");
    ASSERT_TRUE(run.step.step_cpu) << value;
    EXPECT_TRUE(std::isnan(*run.step.step_cpu)) << value;
  }
}

TEST(TracemlSummary, TellsGapsAndTruncations) {
  Json json = sample("two_ranks_balanced");
  json["step_time"]["global"]["window"]["steps_analyzed"] = 390;
  json["step_time"]["metadata"]["training_total_steps"] = 1000;
  const StoredRun run = read(json);
  EXPECT_EQ(run.gap_steps, 10);
  EXPECT_EQ(run.truncated_steps, 610);
  EXPECT_THAT(run.warnings, ElementsAre("lacks 10 steps inside its window.",
                                        "leaves out 610 steps of the training."));
}

TEST(TracemlSummary, ThatDidNotCompleteIsNoLaunch) {
  Json json = sample("two_ranks_balanced");
  json["run_context"]["run"]["status"] = "failed";
  EXPECT_EQ(read(json).void_reason, "its run's status is failed");
}

TEST(TracemlSummary, OfAnotherVersionIsReadOrRefusedByName) {
  Json json = sample("two_ranks_balanced");
  for (const double version : {1.7, 1.8, 1.9}) {
    json["schema_version"] = version;
    EXPECT_THAT(read(json).warnings, IsEmpty());
  }
  json["schema_version"] = 1.6;
  EXPECT_EQ(sentence_of_json(json),
            "a.json: schema_version is 1.6; files of TraceML from schema 1.7 on are read");
  json["schema_version"] = "1.9";
  EXPECT_THAT(sentence_of_json(json), HasSubstr("schema_version is no number"));
  json["schema_version"] = 2.1;
  EXPECT_THAT(read(json).warnings, ElementsAre(HasSubstr("schema 2.1, newer")));
  metrics(json, "1").erase("step_time_cpu_ms");
  EXPECT_THAT(sentence_of_json(json),
              HasSubstr("step_time.groups.rows.1.metrics.step_time_cpu_ms is missing"));
}

TEST(TracemlSummary, WithASectionThatIsNoObjectIsRefusedWithThePlace) {
  for (const char* section : {"system", "process", "step_time", "step_memory", "run_context"}) {
    Json json = sample("two_ranks_balanced");
    json[section] = Json::array();
    EXPECT_EQ(sentence_of_json(json),
              std::string("a.json: ") + section + " is array and no object");
  }
  Json json = sample("two_ranks_balanced");
  json["step_time"]["groups"]["rows"]["1"] = 3;
  EXPECT_EQ(sentence_of_json(json), "a.json: step_time.groups.rows.1 is number and no object");
}

TEST(JsonInput, ThatIsNoJsonIsRefusedWithThePlace) {
  EXPECT_EQ(sentence_of("{\n  \"a\": nonsense}"), "a.json:2:9: is not JSON at this place");
  EXPECT_EQ(sentence_of("{\n"), "a.json:2:1: is not JSON: it ends too early");
  EXPECT_EQ(sentence_of(""), "a.json:1:1: is not JSON: it ends too early");
  EXPECT_EQ(sentence_of("\xEF\xBB\xBF{}"),
            "a.json:1:1: starts with a byte order mark; save it as UTF-8 without one");
  EXPECT_THAT(sentence_of("[1, 2]"), HasSubstr("a.json:1:1: is array and no object"));
  EXPECT_THAT(sentence_of("NaN"), HasSubstr("and no object"));
  EXPECT_THAT(sentence_of("{\"a\": 1e999}"), HasSubstr("too large"));
  EXPECT_THAT(sentence_of("{\"a\": NaNs}"), HasSubstr("a.json:1:"));
  EXPECT_THAT(sentence_of("{\"a\": \"\xff\"}"), HasSubstr("is not JSON"));
  EXPECT_THAT(sentence_of("{\"a\": " + std::string(100'000, '[')), HasSubstr("nested deeper"));
  EXPECT_THAT(sentence_of("{}"), HasSubstr("neither a run.json"));
}

TEST(JsonInput, ThatCannotBeReadIsAUsageError) {
  EXPECT_THROW(read_stored_run("/nowhere/a.json", ""), UsageError);
  EXPECT_THROW(read_stored_run("/", ""), UsageError);
}

std::string run_json_text(const Sample& run) {
  return write_run_json(run.info, run.plan, run.summary);
}

TEST(RunJsonReader, ReadsTheWallOfTheArmThatWasNamed) {
  Sample run = passed_run();
  const StoredRun read = stored_run_of_text(run_json_text(run), "a.json", "shipped");
  EXPECT_DOUBLE_EQ(read.wall_ms.value(), run.arm("shipped").wall_per_step->count());
  EXPECT_EQ(read.world_size, run.info.world_size);
  EXPECT_EQ(read.void_reason, "");
  EXPECT_THAT(read.findings, IsEmpty());
  double largest = 0;
  for (const RankFigures& rank : run.arm("shipped").ranks) {
    largest = std::max(largest, rank.figures.step_cpu->count());
  }
  EXPECT_DOUBLE_EQ(read.step.step_cpu.value(), largest);
}

TEST(RunJsonReader, ListsTheArmsWhereItMustBeToldWhich) {
  const std::string text = run_json_text(passed_run());
  EXPECT_EQ(sentence_of(text), "a.json: arms holds reference, shipped; choose one with --arm NAME");
  EXPECT_EQ(sentence_of(text, "shiped"),
            "a.json: arms has no 'shiped'; it holds reference, shipped");
}

TEST(RunJsonReader, TakesNoFigureOfARunThatEndedEarlyOrLacksARank) {
  const StoredRun run =
      stored_run_of_text(run_json_text(run_with_missing_rank()), "a.json", "shipped");
  EXPECT_NE(run.void_reason, "");
  EXPECT_THAT(reasons_of(run), Contains(Reason::kMissingRank));
}

TEST(RunJsonReader, TakesNoDeviceTimeOfAnArmThatIsNotCovered) {
  Json json = Json::parse(run_json_text(device_run()));
  const std::string arm = json["arms"].begin().key();
  json["arms"][arm]["step_gpu_ms"] = nullptr;
  EXPECT_FALSE(stored_run_of_text(json.dump(), "a.json", arm).step.step_gpu);
  json["arms"][arm]["step_gpu_ms"] = 40;
  for (auto& rank : json["ranks"]) rank["arms"][arm]["step_gpu_ms"] = 41;
  EXPECT_EQ(stored_run_of_text(json.dump(), "a.json", arm).step.step_gpu, 41);
}

}  // namespace
}  // namespace traceml::testing
