// The key `sweep`, from YAML to settings and back.

#include <gtest/gtest.h>

#include <string>

#include "harness/codec/config_file.h"
#include "harness/core/error.h"
#include "harness/plan/plan.h"

namespace traceml {
namespace {

template <class Action>
std::string sentence_of(Action action) {
  try {
    action();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

const char* const kSweep =
    "input: {dataset: images}\narms: {shipped: {input: {prefetch: 3}}}\n"
    "sweep: {arm: shipped, over: {input.workers: [1, 2], input.dtype: [float32, uint8]}}\n";

TEST(SetSweep, reaches_the_margin_of_a_sweep_and_its_arm_before_it_is_swept) {
  const Config config = read_config_text(
      kSweep, "c.yaml", {"sweep.margin=2%", "arms.shipped.input.prefetch=5", "input.pinned=false"});
  EXPECT_DOUBLE_EQ(config.sweep.margin, .02);
  EXPECT_EQ(config.sweep.settings[3].input.prefetch, 5);
  EXPECT_FALSE(config.sweep.settings[3].input.pinned);
  EXPECT_EQ(sentence_of([] { read_config_text(kSweep, "c.yaml", {"sweep.margin=2"}); }),
            "--set sweep.margin: is '2'; a margin needs its unit, as 2%");
}

TEST(SweepConfig, is_a_grid_whose_last_key_changes_first) {
  const Config config = read_config_text(kSweep, "c.yaml", {});
  ASSERT_EQ(config.sweep.settings.size(), 4u);
  EXPECT_EQ(config.sweep.settings[0].name, "shipped[workers=1,dtype=float32]");
  EXPECT_EQ(config.sweep.settings[1].name, "shipped[workers=1,dtype=uint8]");
  EXPECT_EQ(config.sweep.settings[2].name, "shipped[workers=2,dtype=float32]");
  EXPECT_EQ(config.sweep.settings[3].input.workers, 2);
  EXPECT_EQ(config.sweep.settings[3].input.dtype, SampleType::kUint8);
  EXPECT_EQ(config.sweep.margin, .01);
}

TEST(SweepConfig, may_be_a_list_of_settings_of_the_arm_that_a_config_has_without_arms) {
  const Config config = read_config_text(
      "sweep: {arm: shipped, settings: [{input.workers: 1, input.prefetch: 4}, {input.workers: "
      "6}]}\n",
      "c.yaml", {});
  EXPECT_EQ(config.sweep.settings[0].name, "shipped[workers=1,prefetch=4]");
  EXPECT_EQ(config.sweep.settings[1].name, "shipped[workers=6,prefetch=2]");
}

TEST(SweepConfig, survives_its_canonical_form_before_and_after_planning) {
  const Config config = read_config_text(kSweep, "c.yaml", {});
  const Config planned = make_plan(config, 2).config;
  EXPECT_GT(planned.arms.size(), 4u);
  EXPECT_EQ(write_config(planned), write_config(config));
  const Config again = read_config_text(write_config(planned), "d.yaml", {});
  EXPECT_EQ(again.sweep.settings, config.sweep.settings);
  EXPECT_EQ(make_plan(again, 2).config.arms, planned.arms);
}

}  // namespace
}  // namespace traceml
