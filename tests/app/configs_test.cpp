// Every file of configs/ is a config that a run would accept, but for its data set and its machine.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "harness/codec/config_file.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_text.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Plan plan_of(const fs::path& file) {
  Config config = read_config_file(file, {});
  if (config.measure.launches > 1) config.measure.launch = 1;  // as `check` and `launch` do
  const bool commands = !config.arms.empty() && !config.arms.front().command.words.empty();
  return make_plan(config, config.require.ranks.value_or(commands ? 1 : 2));
}

class EveryConfig : public ::testing::TestWithParam<fs::path> {};

TEST_P(EveryConfig, IsAcceptedAndSaysWhatItAsks) {
  try {
    const Plan plan = plan_of(GetParam());
    EXPECT_FALSE(plan.config.question.empty());
    EXPECT_NE(plan_text(plan, std::nullopt), "");
    for (const std::string& note : plan.notes) {
      EXPECT_EQ(note.find("queue_credit"), note.npos) << note;
    }
  } catch (const Error& error) {
    FAIL() << error.what();
  }
}

std::string name_of_file(const ::testing::TestParamInfo<fs::path>& test) {
  std::string name = fs::relative(test.param, TRACEML_SOURCE_DIR "/configs").string();
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Configs, EveryConfig,
                         ::testing::ValuesIn(files_of(TRACEML_SOURCE_DIR "/configs")),
                         name_of_file);

class ExperimentConfig : public ::testing::TestWithParam<fs::path> {};

TEST_P(ExperimentConfig, HoldsEveryPipelineAgainstBothReferences) {
  const Plan plan = plan_of(GetParam());
  const auto& arms = plan.facts.arms;
  EXPECT_EQ(arms.front().name, "reference") << "the common one is the first input-free arm";
  EXPECT_EQ(plan.facts.steps_per_window, 24);
  for (const ArmFacts& arm : arms) {
    if (arm.input_free) continue;
    ASSERT_TRUE(arm.reference) << arm.name;
    EXPECT_EQ(
        mismatches(plan.config, plan.config.arms[static_cast<std::size_t>(&arm - arms.data())],
                   plan.config.arms[static_cast<std::size_t>(arm.reference->value)]),
        std::vector<std::string>{});
    EXPECT_EQ(24 % arm.period, 0) << arm.name << ": windows hold whole stall periods";
    EXPECT_GE(24, 2 * arm.queue_capacity) << arm.name << ": or its gates are queue_credit";
    EXPECT_EQ(arm.instrument, Instrument::kEvents);
  }
  EXPECT_TRUE(
      std::any_of(plan.facts.gates.begin(), plan.facts.gates.end(),
                  [](const GateSpec& gate) { return gate.kind == GateKind::kMaxOverhead; }));
}

TEST_P(ExperimentConfig, RunsItsRowsWithFewWorkersToo) {
  const Plan plan = plan_of(GetParam());
  std::map<std::string, std::set<int>> workers;  // row -> workers
  for (const ArmConfig& arm : plan.config.arms) {
    if (arm.hidden || arm.input.source == Source::kSynthetic) continue;
    std::string row = arm.name;
    const std::size_t count = row.find_last_not_of("0123456789");
    if (count + 1 < row.size() && row[count] == '_') row.resize(count);
    workers[row].insert(arm.input.workers);
  }
  for (const char* control : {"pinned_blocking", "pageable_async", "sharing_only", "workers_only",
                              "prefetch_only", "gpu_x32"}) {
    const bool has_controls = GetParam().stem() == "controls" || GetParam().stem() == "table";
    EXPECT_EQ(workers.erase(control), has_controls ? 1U : 0U) << control;
  }
  if (GetParam().stem() == "table") workers.erase("uint8_x32");  // with fewer it is `best`
  workers.erase("gpu_naive");                                    // its workers only read
  if (GetParam().stem() == "gpu-naive") return;
  if (GetParam().stem() == "controls") return;  // it changes one thing at a time
  EXPECT_FALSE(workers.empty());
  for (const auto& [row, counts] : workers) {
    for (const int few : {1, 2, 3, 4}) EXPECT_TRUE(counts.contains(few)) << row << " " << few;
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, ExperimentConfig,
                         ::testing::ValuesIn(files_of(TRACEML_SOURCE_DIR "/configs/experiment")),
                         name_of_file);

}  // namespace
}  // namespace traceml
