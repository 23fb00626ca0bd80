// Clocks, throttling and memory of devices, through the whole path from records
// (docs/statistics.md, 2.9).

#include "harness/analysis/device_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/analysis/campaign.h"
#include "tests/analysis/synthetic_campaign.h"

namespace traceml {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kIdle = 0x1, kPowerCap = 0x4, kHwSlowdown = 0x8, kSwThermal = 0x20;

// Two ranks, ten blocks of a candidate (arm 0) and a baseline of the same speed.
class DeviceFiguresTest : public ::testing::Test {
 protected:
  DeviceFiguresTest() {
    campaign_.world_size = 2;
    campaign_.blocks = campaign_.max_blocks = 10;
    campaign_.noise = .001;
    campaign_.with_steps = true;
    campaign_.arms[1].name = "baseline";
    campaign_.gates = {synthetic::gate(GateKind::kMaxRegression, 0, 1, .02)};
    facts_ = synthetic::facts_of(campaign_);
    ranks_ = synthetic::records_of(campaign_);
    for (RankRecords& rank : ranks_) {
      for (const WindowRecord& window : rank.windows) {
        for (const DeviceWhen when : {DeviceWhen::kBefore, DeviceWhen::kAfter}) {
          DeviceRecord record;
          record.window = window.window;
          record.when = when;
          record.sm_clock_mhz = 1980;
          record.power_w = 650;
          record.temperature_c = 60;
          record.throttle_reasons = 0;
          record.other_processes = 0;
          rank.devices.push_back(record);
        }
      }
    }
  }

  // Of `count` windows of an arm, on rank 1 after the window alone.
  void give_reason(int arm, int count, std::uint64_t bits) {
    for (const WindowRecord& window : ranks_[1].windows) {
      if (window.arm != ArmIndex{arm} || count-- <= 0) continue;
      for (DeviceRecord& record : ranks_[1].devices) {
        if (record.window == window.window && record.when == DeviceWhen::kAfter) {
          record.throttle_reasons = bits;
        }
      }
    }
  }

  CampaignSummary summary() const { return summarize_campaign(facts_, ranks_); }

  synthetic::Campaign campaign_;
  CampaignFacts facts_;
  std::vector<RankRecords> ranks_;
};

TEST_F(DeviceFiguresTest, are_null_without_a_monitor) {
  for (RankRecords& rank : ranks_) rank.devices.clear();
  EXPECT_FALSE(summary().arms[0].device);
  EXPECT_EQ(summary().outcome, Outcome::kPass);
}

TEST_F(DeviceFiguresTest, are_taken_over_ranks_and_over_the_arms_own_windows) {
  for (DeviceRecord& record : ranks_[1].devices) {
    const bool candidates =
        ranks_[1].windows[static_cast<std::size_t>(record.window.value)].arm == ArmIndex{0};
    record.sm_clock_mhz = candidates ? 1780 : 1000;
    record.temperature_c = std::nullopt;
  }
  const DeviceFigures device = *summary().arms[0].device;
  EXPECT_EQ(device.windows, 10);
  EXPECT_EQ(device.sm_clock_mhz->min, 1780);
  EXPECT_EQ(device.sm_clock_mhz->mean, 1880);
  EXPECT_EQ(device.sm_clock_mhz->max, 1980);
  EXPECT_EQ(device.temperature_c->mean, 60);
  EXPECT_FALSE(device.memory_clock_mhz);
}

TEST_F(DeviceFiguresTest, forbid_a_verdict_where_more_than_a_fifth_of_an_arms_windows_throttled) {
  for (const std::uint64_t bits :
       {kHwSlowdown, kSwThermal, std::uint64_t{0x40}, std::uint64_t{0x80}}) {
    give_reason(1, 10, 0);
    give_reason(1, 2, bits);
    EXPECT_EQ(summary().outcome, Outcome::kPass) << bits;
    give_reason(1, 3, bits | kPowerCap);
    EXPECT_EQ(summary().reason, Reason::kClockThrottle) << bits;
  }
  give_reason(1, 3, kHwSlowdown | kPowerCap);
  EXPECT_THAT(summary().gates[0].why,
              HasSubstr("slowed its clocks in 3 of 10 windows of baseline (hw_slowdown"));
  give_reason(1, 10, 0);
  give_reason(0, 3, kSwThermal);
  EXPECT_EQ(summary().reason, Reason::kClockThrottle);
}

TEST_F(DeviceFiguresTest, do_not_hold_idle_or_user_clocks_against_a_device) {
  give_reason(0, 10, kIdle | 0x2 | 0x10 | 0x100);
  EXPECT_EQ(summary().outcome, Outcome::kPass);
  EXPECT_THAT(summary().arms[0].device->reasons, IsEmpty());
  EXPECT_EQ(summary().arms[0].device->throttled, 0);
}

TEST_F(DeviceFiguresTest, record_the_power_cap_and_warn_only_where_arms_differ_in_it) {
  give_reason(0, 10, kPowerCap);
  give_reason(1, 8, kPowerCap);
  EXPECT_EQ(summary().outcome, Outcome::kPass);
  EXPECT_EQ(summary().arms[0].device->power_capped, 10);
  EXPECT_THAT(summary().arms[0].device->reasons, ElementsAre("sw_power_cap"));
  EXPECT_THAT(summary().warnings, Not(Contains(HasSubstr("power cap"))));
  give_reason(1, 10, 0);
  give_reason(1, 7, kPowerCap);
  EXPECT_EQ(summary().outcome, Outcome::kPass);
  EXPECT_THAT(summary().warnings,
              Contains(HasSubstr("at their power cap in 10 of 10 windows of shipped and 7 of 10 "
                                 "windows of baseline")));
}

TEST_F(DeviceFiguresTest, warn_of_other_processes_on_a_device) {
  EXPECT_THAT(summary().warnings, Not(Contains(HasSubstr("another process"))));
  ranks_[0].devices[0].other_processes = 2;
  const auto arm = static_cast<std::size_t>(ranks_[0].windows[0].arm.value);
  EXPECT_EQ(summary().arms[arm].device->shared_windows, 1);
  EXPECT_THAT(summary().warnings,
              Contains(HasSubstr("another process was on a device of the run in 1 windows")));
}

TEST_F(DeviceFiguresTest, leave_void_windows_out) {
  for (RankRecords& rank : ranks_) {
    for (WindowRecord& window : rank.windows) {
      if (window.block == 0) window.void_reason = "a foreign process";
    }
  }
  EXPECT_EQ(summary().arms[0].device->windows, 9);
}

TEST_F(DeviceFiguresTest, of_memory_are_the_largest_of_timed_steps_and_ranks) {
  EXPECT_FALSE(summary().arms[0].memory);
  for (RankRecords& rank : ranks_) {
    for (StepRecord& step : rank.steps) {
      step.allocated_peak_bytes = step.timed ? 1000 + rank.rank.value : 9000;
      step.reserved_peak_bytes = step.timed ? 4000 : 2000;  // grew while it settled
    }
  }
  const MemoryFigures memory = *summary().arms[0].memory;
  EXPECT_EQ(memory.allocated_peak_bytes, 1001);
  EXPECT_EQ(memory.reserved_peak_bytes, 4000);
  EXPECT_EQ(memory.grown_windows, 0);
  EXPECT_THAT(summary().warnings, Not(Contains(HasSubstr("allocator"))));
}

TEST_F(DeviceFiguresTest, tell_where_the_allocator_grew_inside_a_window) {
  std::int64_t reserved = 1 << 30;
  for (StepRecord& step : ranks_[1].steps) {
    const bool grows = step.arm == ArmIndex{0} && step.step.value == 4 && step.window->value < 4;
    if (grows) reserved += 512 << 20;
    step.reserved_peak_bytes = reserved;
  }
  const MemoryFigures memory = *summary().arms[0].memory;
  EXPECT_FALSE(memory.allocated_peak_bytes);
  EXPECT_EQ(memory.grown_windows, 2);
  EXPECT_EQ(memory.growth_bytes, 512 << 20);
  EXPECT_EQ(summary().arms[1].memory->grown_windows, 0);
  EXPECT_THAT(
      summary().warnings,
      Contains(HasSubstr("shipped: the allocator grew inside 2 windows, by up to 512 MiB")));
}

}  // namespace
}  // namespace traceml
