#include "harness/codec/efficiency.h"

#include <gtest/gtest.h>

#include "harness/plan/config_keys.h"

namespace traceml {
namespace {

// ResNet-50 of 101 classes at 224 px: 3,031 images/s on each of two ranks.
class EfficiencyTest : public ::testing::Test {
 protected:
  EfficiencyTest() {
    plan_.config.workload.precision = Precision::kTf32;
    plan_.config.arms = {make_arm(plan_.config, "shipped")};
    plan_.facts.arms.resize(1);
    plan_.facts.world_size = 2;
    environment_.facts["gpu_model"] = "NVIDIA H200";
    arm_.images_per_s = 2 * 3031.0;
  }

  std::optional<Efficiency> efficiency() const { return efficiency_of(plan_, environment_, arm_); }

  Plan plan_;
  Environment environment_;
  ArmSummary arm_;
};

TEST_F(EfficiencyTest, of_3031_images_a_second_and_rank_in_tf32_on_an_h200_is_15_percent) {
  EXPECT_NEAR(*efficiency()->mfu, 0.150, 0.0005);
  EXPECT_EQ(efficiency()->hfu(), efficiency()->mfu);
  EXPECT_NEAR(efficiency()->tflop_per_s, 74.3, 0.1);
  EXPECT_EQ(efficiency()->peak_tflop_per_s, 494.7);
}

TEST_F(EfficiencyTest, takes_the_arms_own_precision) {
  plan_.config.arms[0].workload.precision = Precision::kBf16;
  EXPECT_NEAR(*efficiency()->mfu, 0.075, 0.0003);
}

TEST_F(EfficiencyTest, is_null_on_an_unknown_device_which_leaves_the_arithmetic) {
  environment_.facts["gpu_model"] = "NVIDIA H300";
  EXPECT_FALSE(efficiency()->mfu);
  EXPECT_FALSE(efficiency()->peak_tflop_per_s);
  EXPECT_NEAR(efficiency()->tflop_per_s, 74.3, 0.1);
  environment_.facts.clear();
  EXPECT_FALSE(efficiency()->mfu);
}

TEST_F(EfficiencyTest, is_none_without_a_time_or_a_model) {
  arm_.images_per_s = std::nullopt;
  EXPECT_FALSE(efficiency());
  arm_.images_per_s = 100;
  plan_.config.arms[0].workload.model = "spin";
  EXPECT_FALSE(efficiency());
}

}  // namespace
}  // namespace traceml
