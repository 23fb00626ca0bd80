#include "harness/plan/model_flops.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/plan/environment.h"

namespace traceml {
namespace {

// GMAC at 224 px with 1000 classes, as torchvision states them for its weights.
TEST(ForwardMacs, are_those_that_torchvision_states) {
  const auto gmac = [](const std::string& model) {
    return static_cast<double>(forward_macs(model, 1000, 224).value()) * 1e-9;
  };
  EXPECT_NEAR(gmac("resnet18"), 1.814, 0.0005);
  EXPECT_NEAR(gmac("resnet34"), 3.664, 0.0005);
  EXPECT_NEAR(gmac("resnet50"), 4.089, 0.0005);
  EXPECT_NEAR(gmac("resnet101"), 7.801, 0.0005);
  EXPECT_NEAR(gmac("resnet152"), 11.514, 0.0005);
}

TEST(ForwardMacs, of_resnet18_at_32_px_are_those_of_its_layers_added_by_hand) {
  const std::int64_t stem = 49LL * 3 * 64 * 16 * 16;
  const std::int64_t first = 4LL * 9 * 64 * 64 * 8 * 8;
  // Each later group halves the side and doubles the width: a strided 3x3, three more, one 1x1.
  const auto group = [](std::int64_t in, std::int64_t side) {
    const std::int64_t out = 2 * in, pixels = side * side;
    return 9 * in * out * pixels + 3 * 9 * out * out * pixels + in * out * pixels;
  };
  EXPECT_EQ(forward_macs("resnet18", 10, 32),
            stem + first + group(64, 4) + group(128, 2) + group(256, 1) + 512 * 10);
}

TEST(ForwardMacs, round_an_odd_side_up_at_each_stride_as_padding_does) {
  // 97 > 49 > 25 > 13 > 7 > 4, as 98 goes; 96 ends at 3.
  EXPECT_EQ(forward_macs("resnet50", 1000, 97), forward_macs("resnet50", 1000, 98));
  EXPECT_GT(forward_macs("resnet50", 1000, 97), forward_macs("resnet50", 1000, 96));
}

TEST(ForwardMacs, of_a_class_are_one_row_of_the_last_layer) {
  EXPECT_EQ(*forward_macs("resnet50", 1000, 224) - *forward_macs("resnet50", 999, 224), 2048);
  EXPECT_EQ(*forward_macs("resnet34", 1000, 64) - *forward_macs("resnet34", 999, 64), 512);
}

TEST(ForwardMacs, of_what_trains_nothing_are_unknown) {
  EXPECT_FALSE(forward_macs("spin", 1000, 224));
  WorkloadConfig spin;
  spin.model = "spin";
  EXPECT_FALSE(training_flop_per_image(spin));
}

TEST(TrainingFlop, are_two_a_mac_and_backward_is_twice_forward) {
  WorkloadConfig workload;
  EXPECT_EQ(training_flop_per_image(workload),
            6.0 * static_cast<double>(*forward_macs("resnet50", 101, 224)));
}

TEST(DensePeak, is_that_of_the_precision_and_of_the_exact_device) {
  EXPECT_EQ(dense_peak("NVIDIA H200", Precision::kTf32)->tflop_per_s, 494.7);
  EXPECT_EQ(dense_peak("NVIDIA H200", Precision::kBf16)->tflop_per_s, 989.4);
  EXPECT_EQ(dense_peak("NVIDIA H200", Precision::kFp32)->tflop_per_s, 66.9);
  EXPECT_EQ(dense_peak("NVIDIA A100-SXM4-80GB", Precision::kTf32)->tflop_per_s, 156);
  EXPECT_STRNE(dense_peak("NVIDIA H200", Precision::kTf32)->source, "");
  for (const char* other : {"", "H200", "NVIDIA H200 MIG 1g.18gb", "NVIDIA H200 NVL", "Fake 9"}) {
    EXPECT_FALSE(dense_peak(other, Precision::kTf32)) << other;
  }
}

TEST(ShortForm, of_a_gpu_run_names_device_driver_and_precision_first) {
  Environment environment;
  environment.facts = {{"device", "2 x NVIDIA H200"},
                       {"driver", "580.65.06"},
                       {"precision", "tf32"},
                       {"cpu_model", "Intel Xeon"},
                       {"cores_allowed", "32"},
                       {"libtorch", "2.11.0"},
                       {"nccl", "2.28.9"}};
  EXPECT_EQ(short_form(environment),
            "2 x NVIDIA H200, driver 580.65.06, tf32, 32 x Intel Xeon cores, libtorch 2.11.0, NCCL "
            "2.28.9");
  environment.facts["device"] = "cpu";
  environment.facts.erase("nccl");
  EXPECT_EQ(short_form(environment), "32 x Intel Xeon cores, libtorch 2.11.0");
}

}  // namespace
}  // namespace traceml
