#include "harness/codec/run_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "harness/plan/config_keys.h"
#include "tests/codec/sample_runs.h"
#include "tests/codec/temporary_folder.h"

namespace traceml::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const Sample& sample) {
  return write_run_json(sample.info, sample.plan, sample.summary);
}

Json json_of(const Sample& sample) {
  return Json::parse(text_of(sample));
}

bool cannot_validate(int status) {
  return status == 77 || status == 127;
}

// Exit status of the validator: 0 valid, 1 not, 77 without jsonschema, 127 without python3.
int validate(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("run.json", text);
  const std::string source = TRACEML_SOURCE_DIR;
  const std::string command = "/usr/bin/python3 '" + source + "/tests/codec/validate_json.py' '" +
                              source + "/docs/run.schema.json' " + folder.path("run.json");
  return WEXITSTATUS(std::system(command.c_str()));
}

class RunJsonOf : public ::testing::TestWithParam<NamedSample> {};

TEST_P(RunJsonOf, IsValidByItsSchema) {
  const int status = validate(text_of(GetParam().make()));
  if (cannot_validate(status)) GTEST_SKIP() << "no /usr/bin/python3 with jsonschema here";
  EXPECT_EQ(status, 0);
}

INSTANTIATE_TEST_SUITE_P(Samples, RunJsonOf, ::testing::ValuesIn(all_samples()),
                         [](const auto& test) { return test.param.name; });

TEST(RunJson, NamesTheArmsOfAGateOfWhichOneWasLeftOut) {
  Sample sample = passed_run();
  sample.summary.gates.push_back(left_out_gate());
  const Json json = json_of(sample)["gates"].back();
  EXPECT_EQ(json["candidate"], "engines");
  EXPECT_EQ(json["baseline"], "shipped");
  EXPECT_EQ(json["outcome"], "inconclusive");
  EXPECT_EQ(json["reason"], "arm_left_out");
  EXPECT_TRUE(json["estimate"].is_null());
  const int status = validate(text_of(sample));
  if (!cannot_validate(status)) EXPECT_EQ(status, 0);
}

TEST(RunJson, WithAFieldTooManyTooFewOrOfAnotherTypeIsNotValid) {
  const Json good = json_of(passed_run());
  if (cannot_validate(validate(good.dump()))) {
    GTEST_SKIP() << "no /usr/bin/python3 with jsonschema here";
  }
  Json bad = good;
  bad["gates"][0]["extra"] = 1;
  EXPECT_EQ(validate(bad.dump()), 1);
  bad = good;
  bad["arms"]["shipped"].erase("step_gpu_ms");
  EXPECT_EQ(validate(bad.dump()), 1);
  bad = good;
  bad["verdict"]["exit_code"] = 1;
  EXPECT_EQ(validate(bad.dump()), 1);
  EXPECT_EQ(validate("{\"blocks\": NaN}"), 1);
}

TEST(RunJson, GivesTheFirstStepOfAnArmAndNullForABareOne) {
  const Json arms = json_of(passed_run())["arms"];
  const ArmSummary shipped = passed_run().arm("shipped");
  EXPECT_DOUBLE_EQ(arms["shipped"]["first_batch_ms"], shipped.first_batch->count());
  EXPECT_DOUBLE_EQ(arms["shipped"]["first_step_ms"], shipped.first_step->count());
  EXPECT_TRUE(arms["shipped/none"]["first_batch_ms"].is_null());
  EXPECT_TRUE(arms["shipped/none"]["first_step_ms"].is_null());
}

TEST(RunJson, GivesAFractionWithItsBoundsInOrder) {
  const Json gate = json_of(passed_run())["gates"][0];
  EXPECT_EQ(gate["unit"], "fraction");
  EXPECT_DOUBLE_EQ(gate["estimate"], 0.978);
  EXPECT_NEAR(gate["lower"], 0.978 * std::exp(-0.0066), 1e-12);
  EXPECT_NEAR(gate["upper"], 0.978 * std::exp(0.0066), 1e-12);
  EXPECT_DOUBLE_EQ(gate["margin"], 0.95);
}

TEST(RunJson, GivesARegressionAsRelativeChange) {
  const Json gate = json_of(failed_run())["gates"][2];
  EXPECT_EQ(gate["unit"], "relative");
  EXPECT_EQ(gate["kind"], "max_regression");
  EXPECT_NEAR(gate["estimate"], 0.031, 1e-12);
  EXPECT_NEAR(gate["lower"], 1.031 * std::exp(-0.007) - 1, 1e-12);
  EXPECT_DOUBLE_EQ(gate["margin"], 0.02);
  EXPECT_EQ(gate["where"][0]["what"], "input_wait");
}

TEST(RunJson, HasNullForWhatIsMissingAndForWhatIsNotFinite) {
  Sample sample = passed_run();
  sample.gate(0).theta.reset();
  sample.gate(0).interval.reset();
  sample.arm("shipped").loss_last = std::numeric_limits<double>::quiet_NaN();
  sample.arm("shipped").wall_per_step = Millis(std::numeric_limits<double>::infinity());
  const Json json = json_of(sample);
  EXPECT_TRUE(json["gates"][0]["estimate"].is_null());
  EXPECT_TRUE(json["gates"][0]["lower"].is_null());
  EXPECT_TRUE(json["arms"]["shipped"]["loss_last"].is_null());
  EXPECT_TRUE(json["arms"]["shipped"]["step_wall_ms"].is_null());
  EXPECT_TRUE(json["arms"]["shipped"]["step_gpu_ms"].is_null());
  EXPECT_TRUE(json["arms"]["shipped/none"]["long_waits"].is_null());
  EXPECT_TRUE(json["memory"].is_null());
}

TEST(RunJson, KeepsAMeasuredZero) {
  Sample sample = passed_run();
  sample.arm("shipped").global.phases[Phase::kH2d].cpu = Millis(0);
  const Json phase = json_of(sample)["arms"]["shipped"]["phases"]["h2d"];
  EXPECT_EQ(phase["cpu_ms"], 0.0);
  EXPECT_TRUE(phase["gpu_ms"].is_null());
}

TEST(RunJson, ReadsBackToTheSameDoubles) {
  Sample sample = passed_run();
  for (const double value : {0.1, 1.0 / 3, 171.62000000000003, 5e-324, 1e300}) {
    sample.arm("shipped").loss_first = value;
    EXPECT_EQ(json_of(sample)["arms"]["shipped"]["loss_first"], value);
  }
}

TEST(RunJson, OfARunThatFailedHasItsExitCodeAndSentence) {
  const Json json = json_of(run_with_missing_rank());
  EXPECT_EQ(json["verdict"]["exit_code"], 4);
  EXPECT_EQ(json["verdict"]["finished"], false);
  EXPECT_THAT(json["verdict"]["failure"].get<std::string>(), HasSubstr("rank 1 failed"));
  EXPECT_EQ(json["ranks"][0]["reported"], true);
  EXPECT_EQ(json["ranks"][1]["reported"], false);
  EXPECT_TRUE(json["ranks"][1]["arms"].empty());
}

TEST(RunJson, NamesNoFolderOfTheHost) {
  for (const NamedSample& named : all_samples()) {
    EXPECT_THAT(text_of(named.make()), Not(HasSubstr("/home/"))) << named.name;
  }
}

TEST(RunJson, HoldsEveryKeyOfTheConfig) {
  const Json keys = json_of(passed_run())["config"]["keys"];
  EXPECT_EQ(keys.size(), config_keys().size());
  EXPECT_EQ(keys["workload.model"], "resnet18");
  EXPECT_EQ(keys["input.dataset"], ".../food-101");
}

TEST(RunJson, HasACoverageForEachRank) {
  const Json arm = json_of(device_run())["arms"]["shipped"];
  EXPECT_EQ(arm["coverage"].size(), 16U);
  EXPECT_EQ(arm["coverage"]["5"], "479/480");
  EXPECT_EQ(arm["clock"], "cpu");
}

}  // namespace

}  // namespace traceml::testing
