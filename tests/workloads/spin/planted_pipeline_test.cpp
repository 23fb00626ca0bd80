// Input pipelines of known cost on the virtual clock: each planted cause gives its diagnosis, and
// what nearly is one does not.

#include "tests/workloads/spin/planted_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace traceml {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judged;
using testing::pipeline;
using testing::pipeline_plan;
using testing::run_rank_of;
using testing::Settings;

// Of a sample, in ms.
struct Costs {
  const char* read;
  const char* decode;
  const char* resize;
};

constexpr Costs kDecoding = {"0.5", "6", "1.5"};  // a batch of 8 is 64 ms of work

Settings settings_of(const Costs& costs, int workers, Settings more = {}) {
  Settings all = {{"workload.loader_ms.read", costs.read},
                  {"workload.loader_ms.decode", costs.decode},
                  {"workload.loader_ms.resize", costs.resize},
                  {"input.workers", std::to_string(workers)}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

InputSummary with(const Costs& costs, int workers, Settings more = {}) {
  return pipeline(settings_of(costs, workers, std::move(more)));
}

TEST(PlantedPipeline, of_slow_decoding_is_input_bound_and_says_how_many_workers_would_do) {
  const InputSummary input = with(kDecoding, 3);
  EXPECT_EQ(input.diagnosis.cause, InputCause::kDecode);
  EXPECT_EQ(input.diagnosis.workers_needed, 4);
  EXPECT_EQ(input.diagnosis.why,
            "3 of 3 workers busy, 75 % of it decoding; a batch is 64.0 ms of work, 21.3 ms for 3 "
            "workers, and the step without input takes 19.5 ms (reference): 1.8 ms short per step; "
            "4 workers would do");
  EXPECT_NEAR(input.mean.utilisation.value(), 1, 0.01);
  EXPECT_NEAR(input.mean.decode.count(), 6, 1e-9);
  EXPECT_NEAR(input.mean.cpu.value().count(), 7.5, 1e-9);
  EXPECT_NEAR(input.mean.worker_wait.count(), 64.0 / 3 - 19.5, 0.1);
  EXPECT_NEAR(input.mean.device_wait.value().count(), input.mean.worker_wait.count(), 1e-6);
  EXPECT_NEAR(input.supply.value(), 3 * 8 / 0.064, 1e-6);
  EXPECT_NEAR(input.demand.value(), 8 / 0.0195, 1e-6);
}

TEST(PlantedPipeline, that_just_keeps_up_is_not_input_bound) {
  const InputSummary input = with({"0.4", "5.4", "1.4"}, 3);  // 19.2 ms of 19.5
  EXPECT_EQ(input.diagnosis.cause, InputCause::kConsumer) << input.diagnosis.why;
  EXPECT_EQ(input.diagnosis.workers_needed, std::nullopt);
}

// The advice, followed: by one worker less it is not enough.
TEST(PlantedPipeline, with_the_advised_workers_is_not_input_bound_and_with_one_less_still_is) {
  for (const Scheduling scheduling : {Scheduling::kPerSample, Scheduling::kPerBatch}) {
    for (const int workers : {1, 2, 3}) {
      const InputDiagnosis first = pipeline(settings_of(kDecoding, workers), scheduling).diagnosis;
      ASSERT_EQ(first.cause, InputCause::kDecode) << workers;
      const int advised = first.workers_needed.value();
      EXPECT_EQ(advised, 4) << workers;
      EXPECT_EQ(pipeline(settings_of(kDecoding, advised), scheduling).diagnosis.cause,
                InputCause::kConsumer);
      EXPECT_EQ(pipeline(settings_of(kDecoding, advised - 1), scheduling).diagnosis.cause,
                InputCause::kDecode);
    }
  }
}

TEST(PlantedPipeline, whose_samples_differ_in_cost_is_told_the_same) {
  const Settings noisy = {{"workload.noise", "10%"}};
  EXPECT_EQ(with(kDecoding, 3, noisy).diagnosis.cause, InputCause::kDecode);
  EXPECT_EQ(with(kDecoding, 3, noisy).diagnosis.workers_needed, 4);
  EXPECT_EQ(with(kDecoding, 4, noisy).diagnosis.cause, InputCause::kConsumer);
}

TEST(PlantedPipeline, of_slow_storage_is_read_bound_and_of_as_slow_decoding_is_not) {
  const InputDiagnosis read = with({"5", "2.5", "0.5"}, 3).diagnosis;
  EXPECT_EQ(read.cause, InputCause::kRead);
  EXPECT_THAT(read.why, HasSubstr("62 % of it reading"));
  EXPECT_THAT(read.why, HasSubstr("4 workers would do if the storage serves them side by side"));
  EXPECT_EQ(with({"3.9", "3.6", "0.5"}, 3).diagnosis.cause, InputCause::kDecode);
}

TEST(PlantedPipeline, with_a_slow_consumer_is_healthy_and_its_workers_wait_for_slots) {
  const InputSummary input = with(kDecoding, 8);
  EXPECT_EQ(input.diagnosis.cause, InputCause::kConsumer);
  EXPECT_THAT(input.diagnosis.why, HasSubstr("waits 0.00 ms of a step of 19.5 ms; 8 workers make a "
                                             "batch in 8.0 ms, busy 41 %"));
  // What is not work is waiting, but for the first batches of a window.
  EXPECT_NEAR(input.mean.slot_wait.count(), 8 * 19.5 - 64, 4);
  EXPECT_EQ(input.mean.worker_wait, 0ms);
  EXPECT_EQ(input.mean.queue_min, 2);
  EXPECT_EQ(input.mean.queue_empty, 0);
}

TEST(PlantedPipeline, with_one_slow_file_names_it) {
  const InputSummary input =
      with({"0.2", "1.3", "0.5"}, 2, {{"workload.loader_ms.slow_file", "150"}});
  EXPECT_EQ(input.diagnosis.cause, InputCause::kSlowFiles) << input.diagnosis.why;
  EXPECT_THAT(input.diagnosis.why,
              HasSubstr("file_17.jpg takes 152.0 ms, 76 times the usual 2.0 ms"));
  EXPECT_EQ(input.slowest.front().file, "file_17.jpg");
  EXPECT_EQ(input.diagnosis.workers_needed, std::nullopt);
}

TEST(PlantedPipeline, whose_queue_outlasts_a_slow_file_is_not_held_up_by_it) {
  const InputSummary input =
      with({"0.2", "1.3", "0.5"}, 2, {{"workload.loader_ms.slow_file", "25"}});
  EXPECT_EQ(input.diagnosis.cause, InputCause::kConsumer) << input.diagnosis.why;
  EXPECT_EQ(input.slowest.front().file, "file_17.jpg");
  EXPECT_NEAR(input.slowest.front().times_usual, 13.5, 1e-6);
}

TEST(PlantedPipeline, that_is_too_slow_without_its_slow_file_is_input_bound) {
  const InputSummary input = with(kDecoding, 3, {{"workload.loader_ms.slow_file", "60"}});
  EXPECT_EQ(input.diagnosis.cause, InputCause::kDecode) << input.diagnosis.why;
}

TEST(PlantedPipeline, of_slow_copies_is_copy_bound_and_of_short_ones_is_not) {
  const InputDiagnosis slow = with(kDecoding, 8, {{"workload.phases_ms.h2d", "8"}}).diagnosis;
  EXPECT_EQ(slow.cause, InputCause::kCopy);
  EXPECT_THAT(slow.why,
              HasSubstr("waits 8.0 ms of 27.4 ms for the copy to the device (a copy takes "
                        "8.0 ms) and 0.00 ms for batches"));
  const InputDiagnosis quick = with(kDecoding, 8, {{"workload.phases_ms.h2d", "0.3"}}).diagnosis;
  EXPECT_EQ(quick.cause, InputCause::kConsumer) << quick.why;
}

TEST(PlantedPipeline, on_the_training_thread_is_input_bound) {
  const InputSummary input = with({"0.1", "0.8", "0.1"}, 0);
  EXPECT_EQ(input.diagnosis.cause, InputCause::kDecode);
  EXPECT_EQ(input.diagnosis.why,
            "the training thread makes the batches itself, 8.0 ms of a step of 27.5 ms, 80 % of it "
            "decoding; the step without input takes 19.5 ms (reference); 1 worker would do");
  EXPECT_EQ(input.mean.queue_mean, std::nullopt);
  EXPECT_EQ(input.mean.utilisation, std::nullopt);
}

// A queue that was filled before the window can feed all of it.
TEST(PlantedPipeline, whose_queue_is_longer_than_half_a_window_cannot_be_told) {
  const InputDiagnosis longer = with(kDecoding, 4, {{"input.prefetch", "25"}}).diagnosis;
  EXPECT_EQ(longer.cause, InputCause::kUnknown);
  EXPECT_THAT(longer.why, HasSubstr("a window of 48 steps can live on a queue of 25 batches"));
  const InputDiagnosis shorter = with(kDecoding, 4, {{"input.prefetch", "24"}}).diagnosis;
  EXPECT_EQ(shorter.cause, InputCause::kConsumer) << shorter.why;
}

TEST(PlantedPipeline, on_few_cores_is_told_that_more_workers_have_none) {
  Plan plan = pipeline_plan(settings_of(kDecoding, 1));
  plan.facts.cores_per_rank = 2;
  EXPECT_THAT(judged(plan).diagnosis.why,
              HasSubstr("4 workers would do, but 2 cores are allowed to them and the training "
                        "thread"));
  plan.facts.cores_per_rank = 5;
  EXPECT_THAT(judged(plan).diagnosis.why, ::testing::EndsWith("4 workers would do"));
}

// The pipeline of 64 ms a batch, of which `decode` of a sample is the workers' own and the rest of
// the 6 ms is their wait for engines.
InputSummary with_engines(Nanos decode) {
  const Plan plan = pipeline_plan(settings_of(kDecoding, 3));
  RankRecords records = run_rank_of(plan);
  for (InputRecord& record : records.inputs) {
    record.engine_wait = record.decode - 8 * decode;
    record.decode = 8 * decode;
    record.slowest -= 6ms - decode;
  }
  return summarize_campaign(plan.facts, {records}).arms.at(1).input.value();
}

TEST(PlantedPipeline, whose_workers_wait_for_the_engines_needs_no_more_workers) {
  const InputSummary input = with_engines(1ms);
  EXPECT_EQ(input.diagnosis.cause, InputCause::kEngines);
  EXPECT_EQ(input.diagnosis.workers_needed, std::nullopt);
  EXPECT_NEAR(input.mean.engine_wait.value().count(), 8 * 5, 1e-9);
  EXPECT_NEAR(input.mean.sample().count(), 3, 1e-9);
  EXPECT_THAT(input.diagnosis.why,
              ::testing::StartsWith(
                  "3 workers wait 62 % of the time for the hardware decoder and are busy 37 %"));
}

TEST(PlantedPipeline, whose_workers_would_keep_up_but_for_the_engines_needs_no_more_workers) {
  const InputSummary input = with_engines(5ms);  // 56 ms of work, 18.7 for 3 workers
  EXPECT_EQ(input.diagnosis.cause, InputCause::kEngines);
  EXPECT_EQ(input.diagnosis.workers_needed, std::nullopt);
}

TEST(PlantedPipeline, whose_workers_are_too_slow_by_themselves_is_input_bound) {
  const InputSummary input = with_engines(5800us);
  EXPECT_EQ(input.diagnosis.cause, InputCause::kDecode);
  EXPECT_THAT(input.diagnosis.why, HasSubstr("a batch is 62.4 ms of work, 20.8 ms for 3 workers"));
}

TEST(PlantedPipeline, without_a_reference_is_held_against_its_own_step) {
  Plan plan = pipeline_plan(settings_of(kDecoding, 3));
  plan.facts.arms[1].reference.reset();
  const InputSummary input = judged(plan);
  EXPECT_EQ(input.demand_of, "own step");
  EXPECT_EQ(input.diagnosis.cause, InputCause::kDecode);
  EXPECT_EQ(input.diagnosis.workers_needed, 4);
}

// Each take lasts 2 ms longer than the loader needs.
TEST(PlantedPipeline, whose_batches_are_ready_is_not_blamed_for_a_late_training_thread) {
  const Plan plan = pipeline_plan(settings_of(kDecoding, 4, {{"measure.instrument", "host"}}));
  RankRecords records = run_rank_of(plan);
  for (InputRecord& record : records.inputs) record.taken += 2ms;
  const CampaignSummary summary = summarize_campaign(plan.facts, {records});
  const InputDiagnosis& diagnosis = summary.arms.at(1).input->diagnosis;
  EXPECT_EQ(diagnosis.cause, InputCause::kUnknown);
  EXPECT_THAT(diagnosis.why, HasSubstr("100 % of it with a batch ready"));
}

TEST(PlantedPipeline, of_a_bare_arm_keeps_no_record) {
  const Plan plan = pipeline_plan(settings_of(kDecoding, 3, {{"measure.instrument", "none"}}));
  EXPECT_THAT(run_rank_of(plan).inputs, IsEmpty());
}

TEST(PlantedPipeline, is_the_same_on_every_rank_that_simulates_it) {
  const Plan plan = pipeline_plan(settings_of(kDecoding, 3, {{"workload.noise", "5%"}}),
                                  Scheduling::kPerSample, 3);
  std::vector<RankRecords> ranks;
  for (int rank = 0; rank < 3; ++rank) ranks.push_back(run_rank_of(plan, Rank{rank}));
  for (std::size_t i = 0; i < ranks[0].collectives.size(); ++i) {
    EXPECT_EQ(ranks[0].collectives[i].end, ranks[1].collectives[i].end);
    EXPECT_EQ(ranks[0].collectives[i].end, ranks[2].collectives[i].end);
  }
  EXPECT_NE(ranks[0].inputs.front().decode, ranks[1].inputs.front().decode);
  const CampaignSummary summary = summarize_campaign(plan.facts, ranks);
  const InputSummary& input = summary.arms.at(1).input.value();
  EXPECT_EQ(input.ranks.size(), 3u);
  EXPECT_EQ(input.diagnosis.cause, InputCause::kDecode);
  ASSERT_TRUE(input.diagnosis.rank);
  for (const RankInput& rank : input.ranks) {
    EXPECT_LE(rank.figures.waited(),
              input.ranks[static_cast<std::size_t>(input.diagnosis.rank->value)].figures.waited());
  }
}

}  // namespace
}  // namespace traceml
