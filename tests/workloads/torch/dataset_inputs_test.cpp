#include "workloads/torch/dataset_inputs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "harness/backends/local/single_rank.h"
#include "harness/core/error.h"
#include "workloads/input/datagen.h"
#include "workloads/torch/torch_workload.h"

namespace traceml {
namespace {

// 18 JPEG files of 3 classes; removed at the end.
class DatasetInputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name = "traceml-dataset-inputs-" + std::to_string(getpid());
    folder_ = std::filesystem::temp_directory_path() / name;
    std::filesystem::remove_all(folder_);
    DatagenOptions options;
    options.folder = folder_;
    options.classes = 3;
    options.images = 18;
    options.test_images = 3;
    options.long_side = 64;
    options.threads = 1;
    make_dataset(options);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  ArmConfig arm(const std::string& name, SampleType dtype) const {
    ArmConfig arm;
    arm.name = name;
    arm.workload.model = "resnet18";
    arm.workload.classes = 3;
    arm.workload.image_size = 32;
    arm.workload.batch_size = 4;
    arm.workload.threads = 1;
    arm.input.dataset = folder_.string();
    arm.input.dataset_path = folder_.string();
    arm.input.workers = 1;
    arm.input.dtype = dtype;
    return arm;
  }

  std::filesystem::path folder_;
};

TEST_F(DatasetInputsTest, TellsTheSizeOfTheDataSetAndOfARanksEpoch) {
  const auto inputs = make_dataset_inputs(1, Rank{1}, 2);
  inputs->open(arm("shipped", SampleType::kUint8));
  const auto facts = inputs->facts();
  EXPECT_EQ(facts.at("dataset_images"), "18");
  EXPECT_EQ(facts.at("dataset_classes"), "3");
  EXPECT_EQ(facts.at("batches_per_epoch"), "2");
}

TEST_F(DatasetInputsTest, AFolderThatIsNotThereIsRefused) {
  ArmConfig missing = arm("shipped", SampleType::kUint8);
  missing.input.dataset_path += "-missing";
  EXPECT_THROW(make_dataset_inputs(1, Rank{0}, 1)->open(missing), Error);
}

TEST_F(DatasetInputsTest, TrainingOnUint8AndOnFloat32SeesTheSameImages) {
  Plan plan;
  plan.config.arms = {arm("uint8", SampleType::kUint8), arm("float32", SampleType::kFloat32)};
  plan.config.workload = plan.config.arms[0].workload;
  SingleTransport transport;
  SingleCollective collective;
  const auto workload = make_torch_workload(plan, transport, collective, std::nullopt, DataSets{});
  double losses[2] = {};
  for (int i = 0; i < 2; ++i) {
    workload->prepare(ArmIndex{i});
    EXPECT_EQ(workload->contract(ArmIndex{i}).shape, (std::vector<std::int64_t>{4, 3, 32, 32}));
    workload->begin(ArmIndex{i}, 5, Instrument::kNone);  // in the second epoch
    workload->mark_first_loss();
    for (int step = 0; step < 3; ++step) workload->step(nullptr);
    losses[i] = workload->end().first.value();
  }
  EXPECT_GT(losses[0], 0.1);
  EXPECT_NEAR(losses[0], losses[1], 1e-4 * losses[0]);
  EXPECT_EQ(workload->facts().at("dataset_images"), "18");
}

}  // namespace
}  // namespace traceml
