#include "harness/plan/plan_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/plan/config_keys.h"
#include "harness/plan/environment.h"
#include "harness/plan/figures.h"
#include "harness/plan/sweep.h"

namespace traceml {
namespace {

using testing::HasSubstr;
using testing::Not;

Config example() {
  Config config;
  config.name = "example";
  config.question = "Does the loader keep up?";
  config.seed = 7;
  config.workload.batch_size = 16;
  config.workload.image_size = 64;
  config.input.dataset = "images";
  config.measure.max_blocks = 10;
  config.arms = {make_arm(config, "reference"), make_arm(config, "shipped"),
                 make_arm(config, "wide")};
  set_in_arm(config, &config.arms[0], *find_config_key("input.source"), "synthetic");
  set_in_arm(config, &config.arms[2], *find_config_key("input.dtype"), "float32");
  set_in_arm(config, &config.arms[2], *find_config_key("input.workers"), "0");
  GateConfig fraction;
  fraction.kind = GateKind::kMinFraction;
  fraction.candidate = "shipped";
  fraction.baseline = "reference";
  fraction.min_fraction = 0.95;
  fraction.delta = 1 / 0.95 - 1;
  GateConfig regression;
  regression.candidate = "wide";
  regression.baseline = "shipped";
  regression.delta = 0.025;
  regression.inconclusive_passes = true;
  GateConfig overhead;
  overhead.kind = GateKind::kMaxOverhead;
  overhead.candidate = "shipped";
  overhead.overhead_of = Instrument::kEvents;
  overhead.delta = 0.1;
  config.gates = {fraction, regression, overhead};
  return config;
}

void expect_golden(const std::string& text, const std::string& name) {
  const std::string path = TRACEML_SOURCE_DIR "/tests/plan/golden/" + name;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  std::ostringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str());
}

TEST(PlanText, has_the_text_of_its_golden_file) {
  expect_golden(plan_text(make_plan(example(), 2), Millis(130)), "plan_with_step_time.txt");
}

TEST(PlanText, gives_no_time_without_an_assumed_step) {
  Config config = example();
  config.measure.steps = 8;
  config.input.prefetch = 2;
  config.arms[1].input.prefetch = 6;
  const std::string text = plan_text(make_plan(config, 2), std::nullopt);
  EXPECT_THAT(text, HasSubstr("no time estimate"));
  EXPECT_THAT(text, Not(HasSubstr(" min ")));
  expect_golden(text, "plan_without_step_time.txt");
}

TEST(PlanText, of_a_sweep_says_what_it_runs_and_what_it_costs) {
  Config config = example();
  config.arms.erase(config.arms.begin() + 2);
  config.gates.clear();
  config.sweep.arm = "shipped";
  config.sweep.keys = {"input.workers", "input.dtype"};
  for (const char* workers : {"1", "2"}) {
    for (const char* dtype : {"float32", "uint8"}) {
      ArmConfig setting = config.arms[1];
      setting.of_sweep = true;
      setting.name = name_of_setting("shipped", config.sweep.keys, {workers, dtype}, {});
      set_in_arm(config, &setting, *find_config_key("input.workers"), workers);
      set_in_arm(config, &setting, *find_config_key("input.dtype"), dtype);
      config.sweep.settings.push_back(setting);
    }
  }
  config.measure.max_blocks = 20;
  expect_golden(plan_text(make_plan(config, 2), Millis(130)), "plan_of_a_sweep.txt");
}

TEST(PlanText, counts_the_bytes_of_every_slot) {
  const std::string text = plan_text(make_plan(example(), 2), std::nullopt);
  // prefetch + 2 slots of 16 x 64 x 64 x 3 bytes; the float32 arm without workers: 3 slots of 4x.
  EXPECT_THAT(text, HasSubstr("196,608         786,432 (768.0 KiB)"));
  EXPECT_THAT(text, HasSubstr("786,432         2,359,296 (2.2 MiB)"));
}

TEST(PlanText, says_where_the_last_look_lies_beyond_the_time_limit) {
  Config config = example();
  EXPECT_THAT(plan_text(make_plan(config, 2), Millis(130)), Not(HasSubstr("time_limit")));
  EXPECT_THAT(plan_text(make_plan(config, 2), Millis(13000)), HasSubstr("measure.time_limit"));
}

TEST(Figures, are_readable) {
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
  EXPECT_EQ(percent_figure(0.02), "2 %");
  EXPECT_EQ(percent_figure(0.0675), "6.75 %");
  EXPECT_EQ(seconds_figure(Seconds(3.25)), "3.2 s");
  EXPECT_EQ(seconds_figure(Seconds(725)), "12 min 5 s");
  EXPECT_EQ(seconds_figure(Seconds(3780)), "1 h 3 min");
  EXPECT_EQ(bytes_figure(512), "512");
}

TEST(ShortForm, names_cores_mpi_and_libtorch_in_one_line) {
  Environment environment;
  environment.facts = {{"cpu_model", "AMD EPYC 7763 64-Core Processor"},
                       {"cores_allowed", "2"},
                       {"mpi", "Open MPI 4.1.4"},
                       {"libtorch", "2.11.0"},
                       {"device", "cpu"}};
  EXPECT_EQ(short_form(environment), "2 x AMD EPYC 7763 cores, Open MPI 4.1.4, libtorch 2.11.0");
  environment.facts = {{"cpu_model", "Intel(R) Xeon(R) CPU @ 2.20GHz"}, {"cores_allowed", "1"}};
  EXPECT_EQ(short_form(environment), "1 x Intel Xeon core");
  EXPECT_EQ(short_form({}), "unknown machine");
}

}  // namespace
}  // namespace traceml
