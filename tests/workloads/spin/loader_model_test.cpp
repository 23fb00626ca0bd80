#include "workloads/spin/loader_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace traceml {
namespace {

using namespace std::chrono_literals;

LoaderCosts costs_of(int workers, int read_ahead) {
  return {.workers = workers,
          .batch = 4,
          .unit = 1,
          .read_ahead = read_ahead,
          .read = 1ms,
          .decode = 2ms,
          .resize = 1ms};
}

LoaderModel started(const LoaderCosts& costs) {
  LoaderModel model(costs);
  model.start(100ms, 7, 1, 10);
  return model;
}

TEST(LoaderModel, spreads_the_samples_of_a_batch_over_its_workers) {
  LoaderModel model = started(costs_of(2, 1));
  const InputRecord first = model.take(100ms, 0ms);  // two rounds of two samples
  EXPECT_EQ(first.batch, 7);
  EXPECT_EQ(first.begun, 100ms);
  EXPECT_EQ(first.ready, 108ms);
  EXPECT_EQ(first.asked, 100ms);
  EXPECT_EQ(first.taken, 108ms);
  EXPECT_EQ(first.read, 4ms);
  EXPECT_EQ(first.decode, 8ms);
  EXPECT_EQ(first.resize, 4ms);
  EXPECT_EQ(first.slowest, 4ms);
  EXPECT_EQ(first.queue_depth, 0);
}

TEST(LoaderModel, makes_a_batch_on_one_worker_where_that_is_the_unit) {
  LoaderCosts costs = costs_of(2, 2);
  costs.unit = 4;
  LoaderModel model = started(costs);
  EXPECT_EQ(model.take(100ms, 0ms).ready, 116ms);
  EXPECT_EQ(model.take(116ms, 0ms).ready, 116ms);
}

TEST(LoaderModel, holds_workers_back_at_the_read_ahead) {
  LoaderModel model = started(costs_of(2, 1));
  EXPECT_EQ(model.take(150ms, 0ms).taken, 150ms);  // ready since 108 ms
  const InputRecord second = model.take(151ms, 0ms);
  EXPECT_EQ(second.begun, 150ms) << "once the first was taken";
  EXPECT_EQ(second.slot_wait, 2 * 42ms);
  EXPECT_EQ(second.taken, 158ms);
}

// Three samples for two workers: one is idle from 104 ms on.
TEST(LoaderModel, lets_workers_go_on_when_a_batch_is_taken_and_not_when_it_is_asked_for) {
  LoaderCosts costs = costs_of(2, 1);
  costs.batch = 3;
  LoaderModel model = started(costs);
  EXPECT_EQ(model.take(100ms, 0ms).taken, 108ms);
  const InputRecord second = model.take(108ms, 0ms);
  EXPECT_EQ(second.begun, 108ms);
  EXPECT_EQ(second.slot_wait, 4ms);
}

TEST(LoaderModel, holds_workers_back_until_a_slot_is_free) {
  LoaderModel model = started(costs_of(4, 1));  // three slots
  EXPECT_EQ(model.take(100ms, 500ms).taken, 104ms);
  EXPECT_EQ(model.take(104ms, 500ms).taken, 108ms);
  EXPECT_EQ(model.take(108ms, 500ms).taken, 112ms);
  EXPECT_EQ(model.take(112ms, 500ms).begun, 604ms) << "when the first came back";
}

TEST(LoaderModel, counts_what_is_ready) {
  LoaderModel model = started(costs_of(2, 3));
  EXPECT_EQ(model.ready_at(107ms), 0);
  EXPECT_EQ(model.ready_at(108ms), 1);
  EXPECT_EQ(model.ready_at(500ms), 3) << "no more than the read-ahead";
  EXPECT_EQ(model.take(500ms, 0ms).queue_depth, 3);
  EXPECT_EQ(model.ready_at(500ms), 2);
  EXPECT_EQ(model.ready_at(508ms), 3);
}

TEST(LoaderModel, without_workers_makes_the_batch_when_it_is_asked_for) {
  LoaderModel model = started(costs_of(0, 1));
  const InputRecord record = model.take(200ms, 0ms);
  EXPECT_EQ(record.begun, 200ms);
  EXPECT_EQ(record.taken, 216ms);
  EXPECT_EQ(record.queue_depth, std::nullopt);
  EXPECT_EQ(record.slot_wait, 0ms);
  EXPECT_EQ(model.ready_at(300ms), 0);
}

}  // namespace
}  // namespace traceml
