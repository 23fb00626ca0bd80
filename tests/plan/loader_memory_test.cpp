#include "harness/plan/loader_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "harness/core/error.h"

namespace traceml {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Optional;

Plan plan_of(int prefetch, int batch_size, Scheduling scheduling = Scheduling::kPerSample) {
  Config config;
  config.workload.image_size = 64;
  config.workload.batch_size = batch_size;
  config.input.dataset = "images";
  config.input.prefetch = prefetch;
  config.input.scheduling = scheduling;
  return make_plan(config, 2);
}

TEST(LoaderMemory, holds_the_batches_ahead_and_two_more) {
  const auto loaders = loaders_of(plan_of(4, 16));
  ASSERT_EQ(loaders.size(), 1U);
  EXPECT_EQ(loaders.front().slots, 6);
  EXPECT_EQ(loaders.front().slot_bytes, 16 * 64 * 64 * 3);
  EXPECT_EQ(loader_bytes(plan_of(4, 16)), 6 * 16 * 64 * 64 * 3);
}

TEST(LoaderMemory, counts_the_batches_that_a_thread_copies_into_page_locked_memory) {
  Config config;
  config.workload.device = Device::kCuda;
  config.input.dataset = "images";
  config.input.prefetch = 4;
  config.input.pin_copy = true;
  const Plan plan = make_plan(config, 1);
  EXPECT_EQ(plan.facts.arms.front().queue_capacity, 4 + kPinnedBatches);
  EXPECT_EQ(loaders_of(plan).front().slots, 6 + kPinnedBatches);
}

TEST(LoaderMemory, needs_threads_and_page_locked_memory_for_such_a_thread) {
  Config config;
  config.workload.device = Device::kCuda;
  config.input.dataset = "images";
  config.input.pin_copy = true;
  config.input.pinned = false;
  const auto refused = [&] {
    try {
      make_plan(config, 1);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refused(), HasSubstr("it needs input.pinned: true and input.workers of at least 1"));
  config.input.pinned = true;
  EXPECT_EQ(refused(), "accepted");
  config.input.workers = 0;
  EXPECT_THAT(refused(), HasSubstr("input.pin_copy hands what loader threads made on"));
  config.input.workers = 4;
  config.workload.device = Device::kCpu;
  EXPECT_THAT(refused(), HasSubstr("input.pin_copy: true needs CUDA"));
}

TEST(LoaderMemory, is_refused_where_the_ranks_of_a_machine_need_more_than_it_has) {
  const Plan plan = plan_of(4, 16);
  const std::int64_t both = 2 * loader_bytes(plan);
  EXPECT_EQ(loaders_exceed(plan, 2, both), std::nullopt);
  EXPECT_THAT(loaders_exceed(plan, 2, both - 1),
              Optional(AllOf(HasSubstr("of 2 ranks"), HasSubstr("2,359,296 (2.2 MiB) bytes"),
                             HasSubstr("lower input.prefetch"))));
}

TEST(LoaderMemory, never_wraps_around) {
  Plan plan = plan_of(1024, 65536, Scheduling::kPerBatch);
  for (ArmConfig& arm : plan.config.arms) arm.workload.image_size = 4096;
  plan.facts.arms.front().queue_capacity = 1024LL * 256;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(loaders_exceed(plan, 1, kMost), std::nullopt);
  EXPECT_NE(loaders_exceed(plan, 1024, kMost - 1), std::nullopt);
}

}  // namespace
}  // namespace traceml
