#include "harness/runner/wire.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "harness/core/error.h"

namespace traceml {
namespace {

WindowRecord window() {
  WindowRecord w;
  w.arm = ArmIndex{2};
  w.block = 3;
  w.order = 1;
  w.window = WindowIndex{11};
  w.steps = 48;
  w.start_host = Nanos(123456789012345);
  w.end_host = Nanos(123456999999999);
  return w;
}

TEST(WireTest, BringsWindowsBackWithNullsApartFromZeros) {
  WindowRecord with_all = window();
  with_all.queue_start = 0;
  with_all.queue_end = 5;
  with_all.loss_first = 4.6151205168412594;
  with_all.loss_last = 0.0;
  with_all.void_reason = "another process on the GPU";
  const std::vector<WindowRecord> windows = {window(), with_all};
  EXPECT_EQ(decode_windows(encode_windows(windows)), windows);
}

TEST(WireTest, BringsLossesBackThatAreNotFinite) {
  WindowRecord w = window();
  w.loss_first = std::numeric_limits<double>::infinity();
  w.loss_last = std::numeric_limits<double>::quiet_NaN();
  const auto back = decode_windows(encode_windows({w}));
  EXPECT_EQ(back.at(0).loss_first, w.loss_first);
  EXPECT_TRUE(std::isnan(back.at(0).loss_last.value()));
}

TEST(WireTest, BringsStepTimesBackWithNullsApartFromZeros) {
  const std::vector<StepTime> steps = {
      {ArmIndex{1}, {WindowIndex{4}, StepIndex{2}}, Nanos(123456789012345), std::nullopt},
      {ArmIndex{1}, {WindowIndex{4}, StepIndex{3}}, Nanos(0), Nanos(7)},
      {ArmIndex{0}, {WindowIndex{4}, StepIndex{3}}, std::nullopt, Nanos(0)},
      {ArmIndex{0}, {WindowIndex{5}, StepIndex{3}}, std::nullopt, std::nullopt}};
  EXPECT_EQ(decode_step_times(encode_step_times(steps)), steps);
  EXPECT_TRUE(decode_step_times(encode_step_times({})).empty());
}

TEST(WireTest, BringsDecisionsBack) {
  const BlockDecision going{.stop = false, .failure = {}, .arms = {ArmIndex{0}, ArmIndex{3}}};
  EXPECT_EQ(decode_decision(encode_decision(going)), going);
  const BlockDecision stopping{.stop = true, .failure = "the time limit was reached", .arms = {}};
  EXPECT_EQ(decode_decision(encode_decision(stopping)), stopping);
}

TEST(WireTest, BringsCountersBack) {
  const std::map<std::string, std::int64_t> counters = {{"samples_replaced", 2}, {"zero", 0}};
  EXPECT_EQ(decode_counters(encode_counters(counters)), counters);
}

TEST(WireTest, RefusesWhatNoEncoderMade) {
  EXPECT_THROW(decode_windows("1 2 three\n"), RunError);
  EXPECT_THROW(decode_windows("1 2\n"), RunError);
  EXPECT_THROW(decode_step_times("1 2 3 4\n"), RunError);
  EXPECT_THROW(decode_step_times("1 2 3 4 5x\n"), RunError);
  EXPECT_THROW(decode_decision("go x\n"), RunError);
  EXPECT_THROW(decode_counters("name\n"), RunError);
}

}  // namespace
}  // namespace traceml
