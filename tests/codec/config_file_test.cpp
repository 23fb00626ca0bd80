#include "harness/codec/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "harness/core/error.h"
#include "harness/plan/command_keys.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/plan.h"
#include "harness/plan/spin_rules.h"

namespace traceml {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const std::filesystem::path kFull =
    std::filesystem::path(TRACEML_SOURCE_DIR) / "tests/codec/full.yaml";
const std::filesystem::path kFullCommands = kFull.parent_path() / "full_commands.yaml";
const std::filesystem::path kFullSpin = kFull.parent_path() / "full_spin.yaml";

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Config without_places(Config config) {
  config.places.clear();
  for (GateConfig& gate : config.gates) gate.where.clear();
  config.sweep.where.clear();
  return config;
}

template <class Action>
std::string sentence_of(Action action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

std::string sentence_of_set(const std::string& text) {
  return sentence_of(
      [&] { read_config_text("arms: {shipped: {}, reference: {}}\n", "c.yaml", {text}); });
}

// A folder of its own for each test, removed at its end.
class ConfigOnDisk : public testing::Test {
 protected:
  ConfigOnDisk() {
    folder_ = std::filesystem::temp_directory_path() /
              ("traceml_config_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  ~ConfigOnDisk() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

  std::filesystem::path folder_;
};

TEST(FullConfig, names_every_key_of_the_table_and_none_at_its_default) {
  const Config training = read_config_text(bytes_of(kFull), "full.yaml", {});
  const Config spin = read_config_text(bytes_of(kFullSpin), "full_spin.yaml", {});
  const Config commands = read_config_text(bytes_of(kFullCommands), "full_commands.yaml", {});
  std::vector<Config> views;  // as each arm is seen
  for (const ArmConfig& arm : commands.arms) {
    views.push_back(seen_by(commands, arm));
    views.back().places = commands.places;
    for (const auto& [key, place] : commands.places) {
      const std::string own = "arms." + arm.name + ".";
      if (key.starts_with(own)) views.back().places[key.substr(own.size())] = place;
    }
  }
  const auto of_commands = [&](const std::string& path) -> const Config& {
    for (const Config& view : views) {
      if (text_of(view, path) != text_of(Config(), path)) return view;
    }
    return views.front();
  };
  for (const ConfigKey& key : config_keys()) {
    const Config& config = is_spin_key(key.path)      ? spin
                           : is_command_key(key.path) ? of_commands(key.path)
                                                      : training;
    EXPECT_TRUE(config.places.contains(key.path)) << key.path << " is missing in the full configs";
    const bool has_one_value = key.path == "input.scheduling" || key.path == "input.source" ||
                               key.path == "input.pin_copy" || key.path == "input.decode" ||
                               key.path == "input.hardware_share";
    if (!has_one_value) {
      EXPECT_NE(key.get(config), key.get(Config{})) << key.path;
    }
  }
}

TEST(FullConfig, reads_the_values_that_it_says) {
  const Config config = read_config_text(bytes_of(kFull), "full.yaml", {});
  EXPECT_EQ(config.name, "full-example");
  EXPECT_EQ(config.question, "Does \"everything\" survive: numbers, words, ünïcode?");
  EXPECT_EQ(config.seed, 18446744073709551615u);
  EXPECT_EQ(config.require.device, Device::kCuda);
  EXPECT_EQ(config.require.ranks, 2);
  EXPECT_EQ(config.workload.model, "resnet34");
  EXPECT_EQ(config.workload.precision, Precision::kBf16);
  EXPECT_EQ(config.workload.memory_format, MemoryFormat::kContiguous);
  EXPECT_EQ(config.workload.optimizer.weight_decay, 1e-4);
  EXPECT_EQ(config.workload.execution, Execution::kGraph);
  EXPECT_FALSE(config.workload.cudnn_benchmark);
  EXPECT_EQ(config.workload.exchange, Exchange::kNone);
  EXPECT_EQ(config.workload.bucket_mb, 12.5);
  EXPECT_EQ(config.workload.cores, Cores::kShare);
  EXPECT_EQ(config.input.workers, 3);
  EXPECT_EQ(config.input.prefetch, 5);
  EXPECT_EQ(config.input.dtype, SampleType::kFloat32);
  EXPECT_EQ(config.input.on_error, OnError::kReplace);
  EXPECT_FALSE(config.input.pinned);
  EXPECT_EQ(config.input.copy, Copy::kBlocking);
  EXPECT_EQ(config.input.cache, Cache::kCold);
  EXPECT_EQ(config.input.scaled_decode, ScaledDecode::kAuto);
  EXPECT_EQ(config.measure.period, 8);
  EXPECT_EQ(config.measure.steps, 64);
  EXPECT_EQ(config.measure.warmup_steps, 24);
  EXPECT_EQ(config.measure.step_timeout, Seconds(90));
  EXPECT_EQ(config.measure.time_limit, Seconds(7200));
  EXPECT_EQ(config.measure.device_drain, Millis(500));
  EXPECT_EQ(config.measure.max_blocks, 14);
  ASSERT_EQ(config.arms.size(), 6u);
  EXPECT_EQ(config.arms[0].input.source, Source::kSynthetic);
  EXPECT_EQ(config.arms[1].overridden.size(), 0u);
  EXPECT_EQ(config.arms[2].input.prefetch, 7);
  EXPECT_EQ(config.arms[2].input.workers, 0);
  EXPECT_EQ(config.arms[2].input.dtype, SampleType::kFloat32);  // from the top
  EXPECT_EQ(config.arms[2].instrument, Instrument::kEvents);
  EXPECT_EQ(config.arms[2].overridden,
            (std::set<std::string>{"input.prefetch", "input.workers", "measure.instrument"}));
  EXPECT_EQ(config.arms[3].workload.optimizer.lr, 0.5);
  EXPECT_EQ(config.arms[5].input.decode, Decode::kGpu);
  EXPECT_EQ(config.arms[5].input.hardware_share, 0.65);
  ASSERT_EQ(config.gates.size(), 4u);
  EXPECT_EQ(config.gates[0].min_fraction, 0.95);
  EXPECT_DOUBLE_EQ(config.gates[0].delta, 1 / 0.95 - 1);
  EXPECT_EQ(config.gates[1].delta, 2.3 / 100);
  EXPECT_TRUE(config.gates[1].inconclusive_passes);
  EXPECT_FALSE(config.gates[0].inconclusive_fails || config.gates[1].inconclusive_fails);
  EXPECT_TRUE(config.gates[2].inconclusive_fails);
  EXPECT_EQ(config.gates[2].kind, GateKind::kMaxOverhead);
  EXPECT_EQ(config.gates[2].overhead_of, Instrument::kEvents);
  EXPECT_EQ(config.gates[2].where, "full.yaml:78:5");
}

TEST(FullConfig, reads_what_is_to_be_traced) {
  const Config config = read_config_text(bytes_of(kFull), "full.yaml", {});
  EXPECT_EQ(config.trace, (TraceConfig{.skip_first = 3,
                                       .wait = 1,
                                       .warmup = 4,
                                       .active = 20,
                                       .repeat = 2,
                                       .operators = true,
                                       .arm = "deeper"}));
}

TEST(FullConfig, reads_plants_and_lets_an_arm_replace_them) {
  const Config config = read_config_text(bytes_of(kFullSpin), "full_spin.yaml", {});
  ASSERT_EQ(config.plants.size(), 9u);
  EXPECT_EQ(config.plants[0].fraction, 0.05);
  EXPECT_EQ(config.plants[1].every, 8);
  EXPECT_EQ(config.plants[1].phase, Phase::kInputWait);
  EXPECT_EQ(config.plants[2].rank, Rank{1});
  EXPECT_EQ(config.plants[2].time, Millis(20));
  EXPECT_EQ(config.plants[6].window.from, 3);
  EXPECT_FALSE(config.plants[6].phase);
  EXPECT_TRUE(config.plants[7].window.in_warm_up);
  EXPECT_TRUE(config.plants[7].at_all_reduce);
  EXPECT_EQ(config.plants[8].how, FaultHow::kHang);
  ASSERT_EQ(config.arms.size(), 2u);
  EXPECT_EQ(config.arms[0].plants.size(), 0u);
  EXPECT_EQ(config.arms[1].plants, config.plants);
  EXPECT_EQ(config.workload.phases_ms[index_of(Phase::kForward)], 1);
  EXPECT_EQ(config.arms[1].workload.phases_ms[index_of(Phase::kForward)], 1.25);
}

TEST(FullConfig, reads_words_as_they_are_written) {
  const Config config = read_config_text(bytes_of(kFullCommands), "full_commands.yaml", {});
  ASSERT_EQ(config.arms.size(), 6u);
  const CommandConfig& shipped = config.arms[0].command;
  EXPECT_EQ(shipped.words, (std::vector<std::string>{"python3", "train.py", "--name=a b", "",
                                                     "quote \" and \\ and ünïcode", "010"}));
  EXPECT_EQ(shipped.environment,
            (std::vector<std::string>{"OMP_NUM_THREADS=2", "EMPTY=", "NOTE=a, b"}));
  EXPECT_EQ(shipped.working_path, "jobs");
  EXPECT_EQ(config.arms[1].command.working_path, "/srv/jobs");
  EXPECT_EQ(config.arms[1].command.environment.size(), 0u);
  EXPECT_EQ(shipped.exit_codes, (std::vector<std::string>{"0", "10"}));
  EXPECT_EQ(config.arms[1].command.exit_codes, std::vector<std::string>{"255"});
  EXPECT_EQ(config.measure.unit, "images/s");
  EXPECT_EQ(config.measure.launch_timeout, Seconds(90));
}

TEST(FullConfig, lets_the_number_of_an_arm_replace_that_of_the_top) {
  const Config config = read_config_text(bytes_of(kFullCommands), "full_commands.yaml", {});
  for (const ArmConfig& arm : config.arms) {
    EXPECT_EQ(numbers_of(arm.command).size(), 1u) << arm.name;
  }
  EXPECT_EQ(numbers_of(config.arms[5].command).front(), "measure.wall");
}

TEST(WorkingDirectory, starts_at_the_folder_of_the_config) {
  const std::string words = "arms: {a: {command: [ls], measure: {wall: true}}}\n";
  EXPECT_EQ(read_config_text(words, "c.yaml", {}).arms[0].command.working_path, ".");
}

TEST(FullConfig, comes_back_equal_from_its_canonical_form) {
  for (const auto& file : {kFull, kFullSpin, kFullCommands}) {
    const Config config = read_config_text(bytes_of(file), "full.yaml", {});
    const std::string written = write_config(config);
    const Config again = read_config_text(written, "again.yaml", {});
    EXPECT_EQ(without_places(again), without_places(config)) << file;
    EXPECT_EQ(write_config(again), written) << file;
  }
}

TEST(Plants, are_set_from_the_command_line_as_one_list) {
  const Config config = read_config_text("arms: {a: {}, b: {}}\n", "c.yaml",
                                         {"plant=[{drift: 6%}]", "arms.b.plant=[{slowdown: 5%}]"});
  EXPECT_EQ(config.arms[0].plants[0].kind, PlantKind::kDrift);
  ASSERT_EQ(config.arms[1].plants.size(), 1u);
  EXPECT_EQ(config.arms[1].plants[0].kind, PlantKind::kSlowdown);
}

TEST(FullConfig, has_the_canonical_form_of_its_golden_file) {
  const Config config = read_config_text(bytes_of(kFull), "full.yaml", {});
  const auto golden = kFull.parent_path() / "full_canonical.yaml";
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << write_config(config);
  EXPECT_EQ(write_config(config), bytes_of(golden));
}

TEST(CanonicalForm, of_defaults_comes_back_equal) {
  const Config config;
  EXPECT_EQ(without_places(read_config_text(write_config(config), "c.yaml", {})), config);
}

TEST(CanonicalForm, of_a_plan_makes_the_same_plan) {
  Config config = read_config_text(bytes_of(kFull), "full.yaml", {});
  config.measure.launches = 1;  // a sweep is judged within one
  config.measure.launch = 0;
  config.measure.equal_arms.clear();  // in whose place no other arm is left
  const Plan plan = make_plan(config, 2);
  EXPECT_GT(plan.config.arms.size(), config.arms.size());
  const Config stored = read_config_text(write_config(plan.config), "run_info.json", {});
  const Plan again = make_plan(stored, 2);
  ASSERT_EQ(again.facts.arms.size(), plan.facts.arms.size());
  for (std::size_t i = 0; i < plan.facts.arms.size(); ++i) {
    EXPECT_EQ(again.facts.arms[i].name, plan.facts.arms[i].name);
    EXPECT_EQ(again.facts.arms[i].settings, plan.facts.arms[i].settings);
  }
  ASSERT_EQ(again.facts.gates.size(), plan.facts.gates.size());
  EXPECT_EQ(again.facts.steps_per_window, plan.facts.steps_per_window);
}

TEST(CanonicalForm, keeps_margins_that_binary_fractions_cannot_hold) {
  for (const char* margin : {"0.7%", "7%", "2.3%", "12.34567%", "33%", "110%", "999.9%"}) {
    const std::string text =
        std::string("gates: [{compare: a, against: b, max_regression: ") + margin + "}]\n";
    const Config config = read_config_text(text, "c.yaml", {});
    EXPECT_THAT(write_config(config), HasSubstr(std::string("max_regression: ") + margin + "}"));
  }
}

TEST(Json, is_read_as_a_config) {
  const Config config = read_config_text(
      R"({"seed": 3, "input": {"workers": 2}, "measure": {"time_limit": "5min"}})", "c.json", {});
  EXPECT_EQ(config.seed, 3u);
  EXPECT_EQ(config.input.workers, 2);
  EXPECT_EQ(config.measure.time_limit, Seconds(300));
}

TEST(Text, may_end_its_lines_with_carriage_return_and_line_feed) {
  EXPECT_EQ(read_config_text("seed: 3\r\ninput:\r\n  workers: 2\r\n", "c.yaml", {}).input.workers,
            2);
}

TEST(Text, may_hold_quotes_inside_quotes) {
  EXPECT_EQ(read_config_text("question: 'it''s \"so\"'\nname: \"a\"\n", "c.yaml", {}).question,
            "it's \"so\"");
}

TEST(Set, overrides_the_file_and_reaches_arms_that_do_not_set_the_key_themselves) {
  const Config config =
      read_config_text("input: {workers: 4}\narms: {a: {}, b: {input: {workers: 1}}}\n", "c.yaml",
                       {"input.workers=8", "question=a=b"});
  EXPECT_EQ(config.input.workers, 8);
  EXPECT_EQ(config.arms[0].input.workers, 8);
  EXPECT_EQ(config.arms[1].input.workers, 1);
  EXPECT_EQ(config.question, "a=b");
}

TEST(Set, reaches_one_arm) {
  const Config config =
      read_config_text("arms: {a.b: {}, a: {}}\n", "c.yaml", {"arms.a.b.input.workers=8"});
  EXPECT_EQ(config.arms[0].input.workers, 8);
  EXPECT_TRUE(config.arms[0].overridden.contains("input.workers"));
  EXPECT_EQ(config.arms[1].input.workers, 4);
}

TEST(Set, names_itself_and_the_nearest_key) {
  EXPECT_EQ(sentence_of_set("input.wrokers=8"),
            "--set input.wrokers: unknown key 'input.wrokers'; did you mean 'workers'?");
  EXPECT_EQ(sentence_of_set("input.workers=x"),
            "--set input.workers: is 'x'; allowed: integer, 0 to 256");
  EXPECT_EQ(sentence_of_set("input.workers="),
            "--set input.workers: is empty; allowed: integer, 0 to 256");
  EXPECT_EQ(sentence_of_set("input.workers"),
            "--set 'input.workers': write KEY=VALUE, as input.workers=8");
  EXPECT_EQ(sentence_of_set("input=8"),
            "--set input: names a group; set one of its keys, as input.workers=8");
  EXPECT_EQ(sentence_of_set("arms.shiped.input.workers=8"),
            "--set arms.shiped.input.workers: no arm is named 'shiped'; did you mean 'shipped'?");
  EXPECT_THAT(sentence_of_set("arms.shipped.workload.threads=8"),
              StartsWith("--set arms.shipped.workload.threads: is process-wide"));
  EXPECT_THAT(sentence_of_set("gates=x"), HasSubstr("written in the file"));
  EXPECT_THAT(sentence_of_set("trace=x"), HasSubstr("names a group"));
  EXPECT_THAT(sentence_of_set("sweep.arm=x"), HasSubstr("the sweep is written in the file"));
  EXPECT_THAT(sentence_of_set("sweep.margin=2%"), HasSubstr("has no sweep"));
}

TEST(Set, refuses_a_key_that_is_given_twice) {
  EXPECT_EQ(sentence_of([] {
              read_config_text("{}", "c.yaml", {"seed=1", "seed=2"});
            }),
            "--set seed: is given twice; keep one of them");
}

TEST_F(ConfigOnDisk, resolves_a_relative_data_set_against_its_own_folder) {
  const Config config = read_config_file(write("c.yaml", "input: {dataset: ../data/x}\n"), {});
  EXPECT_EQ(config.input.dataset, "../data/x");
  EXPECT_EQ(config.input.dataset_path, (folder_.parent_path() / "data/x").string());
}

TEST_F(ConfigOnDisk, resolves_a_data_set_of_the_command_line_where_the_user_is) {
  const Config config = read_config_file(write("c.yaml", "arms: {a: {}, b: {}}\n"),
                                         {"input.dataset=here/x", "arms.b.input.dataset=y"});
  EXPECT_EQ(config.input.dataset_path, "here/x");
  EXPECT_EQ(config.arms[0].input.dataset_path, "here/x");
  EXPECT_EQ(config.arms[1].input.dataset_path, "y");
  const Config mixed = read_config_file(
      write("d.yaml", "arms: {a: {input: {dataset: x}}, b: {}}\n"), {"input.dataset=here"});
  EXPECT_EQ(mixed.arms[0].input.dataset_path, (folder_ / "x").string());
  EXPECT_EQ(mixed.arms[1].input.dataset_path, "here");
}

TEST_F(ConfigOnDisk, never_writes_an_absolute_path) {
  const Config config = read_config_file(
      write("c.yaml",
            "input: {dataset: /home/ann/food/}\n"
            "arms: {a: {}, b: {input: {dataset: /mnt/food}}, c: {input: {dataset: /mnt/food}}}\n"),
      {});
  EXPECT_EQ(config.input.dataset, "food");
  EXPECT_EQ(config.arms[0].input.dataset, "food");
  EXPECT_EQ(config.arms[0].input.dataset_path, "/home/ann/food/");
  EXPECT_EQ(config.arms[1].input.dataset, "food~2");
  EXPECT_EQ(config.arms[1].input.dataset_path, "/mnt/food");
  EXPECT_EQ(config.arms[2].input.dataset, "food~2");
  const std::string written = write_config(config);
  EXPECT_THAT(written, testing::Not(HasSubstr("/")));
  const Config stored = read_config_text(written, "run_info.json", {});
  EXPECT_EQ(stored.arms[1].input.dataset, "food~2");
}

TEST_F(ConfigOnDisk, is_refused_by_name_where_it_cannot_be_read) {
  const auto sentence = [&](const std::string& path) {
    return sentence_of([&] { read_config_file(path, {}); });
  };
  const std::string missing = (folder_ / "missing.yaml").string();
  EXPECT_EQ(sentence(missing), missing + ": no such file");
  EXPECT_EQ(sentence(folder_.string()),
            folder_.string() + ": is a folder; name a config file in it");
  EXPECT_EQ(sentence("/dev/zero"),
            "/dev/zero: is larger than 1 MiB, which no config is; name a config file");
  const std::string large = write("large.yaml", "# " + std::string(10'000'000, 'x'));
  EXPECT_EQ(sentence(large),
            large + ": is larger than 1 MiB, which no config is; name a config file");
}

}  // namespace
}  // namespace traceml
