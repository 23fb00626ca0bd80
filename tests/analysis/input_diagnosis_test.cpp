// The rules of input_thresholds.h, each from both sides. Whole pipelines are planted in
// tests/workloads/spin/planted_pipeline_test.cpp.

#include "harness/analysis/input_diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace traceml {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// Three workers that are busy all the time: 90 ms of work a batch of 10, a step of 30 ms, of which
// 20 without input.
InputEvidence starving() {
  InputEvidence evidence;
  evidence.figures.batches = 48;
  evidence.figures.read = Millis(1);
  evidence.figures.decode = Millis(6);
  evidence.figures.resize = Millis(2);
  evidence.figures.worker_wait = Millis(10);
  evidence.figures.step = Millis(30);
  evidence.figures.utilisation = 1;
  evidence.workers = 3;
  evidence.batch = 10;
  evidence.queue_capacity = 2;
  evidence.steps_per_window = 48;
  evidence.demand = Millis(20);
  evidence.demand_of = "reference";
  evidence.work_without_slow = Millis(90);
  evidence.usual_sample = Millis(9);
  evidence.slowest = SlowFile{"a.jpg", Millis(10), 5, 1.1};
  return evidence;
}

InputCause cause_of(const InputEvidence& evidence) {
  return diagnose_input(evidence).cause;
}

TEST(InputDiagnosis, of_workers_that_are_busy_all_the_time_has_the_arithmetic) {
  const InputDiagnosis diagnosis = diagnose_input(starving());
  EXPECT_EQ(diagnosis.cause, InputCause::kDecode);
  EXPECT_EQ(diagnosis.why,
            "3 of 3 workers busy, 67 % of it decoding; a batch is 90.0 ms of work, 30.0 ms for 3 "
            "workers, and the step without input takes 20.0 ms (reference): 10.0 ms short per "
            "step; 5 workers would do");
}

TEST(InputDiagnosis, needs_eight_batches) {
  InputEvidence evidence = starving();
  evidence.figures.batches = 8;
  EXPECT_EQ(cause_of(evidence), InputCause::kDecode);
  evidence.figures.batches = 7;
  EXPECT_EQ(cause_of(evidence), InputCause::kUnknown);
  EXPECT_EQ(diagnose_input(evidence).why, "7 timed batches of the 8 that it takes");
}

TEST(InputDiagnosis, takes_a_wait_of_two_percent_for_a_cause) {
  InputEvidence evidence = starving();
  evidence.figures.worker_wait = Millis(0.61);
  EXPECT_EQ(cause_of(evidence), InputCause::kDecode);
  evidence.figures.worker_wait = Millis(0.59);
  EXPECT_EQ(cause_of(evidence), InputCause::kConsumer);
}

TEST(InputDiagnosis, does_not_call_healthy_what_lives_on_its_queue) {
  InputEvidence evidence = starving();
  evidence.figures.worker_wait = Millis(0);
  evidence.figures.batches = 480;
  evidence.figures.queue_shrink = 4.8;
  EXPECT_EQ(cause_of(evidence), InputCause::kConsumer);
  evidence.figures.queue_shrink = 5;
  EXPECT_EQ(cause_of(evidence), InputCause::kUnknown);
  EXPECT_EQ(diagnose_input(evidence).why,
            "nothing waited, but the queue lost 5 of 480 batches over the windows: longer ones may "
            "find it empty");
  evidence.figures.queue_shrink = 0;
  evidence.queue_capacity = 25;
  EXPECT_EQ(cause_of(evidence), InputCause::kUnknown);
}

// The host waits for a batch while the device is still at work: nothing is lost.
TEST(InputDiagnosis, goes_by_the_wait_of_the_device_where_that_is_known) {
  InputEvidence evidence = starving();
  evidence.figures.device_wait = Millis(0.1);
  EXPECT_EQ(cause_of(evidence), InputCause::kConsumer);
}

TEST(InputDiagnosis, does_not_blame_workers_that_are_idle) {
  InputEvidence evidence = starving();
  evidence.figures.utilisation = 0.76;
  EXPECT_EQ(cause_of(evidence), InputCause::kDecode);
  evidence.figures.utilisation = 0.74;
  EXPECT_EQ(cause_of(evidence), InputCause::kUnknown);
  EXPECT_THAT(diagnose_input(evidence).why, HasSubstr("3 workers busy 74 %"));
}

TEST(InputDiagnosis, does_not_blame_workers_whose_supply_meets_the_demand) {
  InputEvidence evidence = starving();
  evidence.demand = Millis(30.1);
  EXPECT_EQ(cause_of(evidence), InputCause::kUnknown);
  EXPECT_EQ(diagnose_input(evidence).workers_needed, std::nullopt);
}

TEST(InputDiagnosis, blames_slow_files_only_where_they_cost_most_of_the_waiting) {
  InputEvidence evidence = starving();
  evidence.slowest = SlowFile{"a.jpg", Millis(90), 5, 10};
  evidence.work_without_slow = Millis(54);
  evidence.slow_wait = 0.51;
  EXPECT_EQ(cause_of(evidence), InputCause::kSlowFiles);
  evidence.slow_wait = 0.5;
  EXPECT_EQ(cause_of(evidence), InputCause::kDecode);
  evidence.slow_wait = 0.9;
  evidence.slowest->times_usual = 3.9;
  EXPECT_EQ(cause_of(evidence), InputCause::kDecode) << "crops differ by so much";
  evidence.slowest->times_usual = 10;
  evidence.work_without_slow = Millis(61);
  EXPECT_EQ(cause_of(evidence), InputCause::kDecode) << "too slow without them, too";
}

TEST(InputDiagnosis, does_not_blame_the_loader_where_a_batch_was_ready) {
  InputEvidence evidence = starving();
  evidence.ready_wait = 0.5;
  EXPECT_EQ(cause_of(evidence), InputCause::kDecode);
  evidence.ready_wait = 0.51;
  evidence.figures.cpu = Millis(4.5);
  EXPECT_EQ(cause_of(evidence), InputCause::kUnknown);
  EXPECT_EQ(
      diagnose_input(evidence).why,
      "the training thread waits 10.0 ms of a step of 30.0 ms, 51 % of it with a batch ready: "
      "for a core, not for the loader; each worker had 50 % of a core while at work");
}

TEST(InputDiagnosis, names_the_larger_of_the_copy_and_the_batch) {
  InputEvidence evidence = starving();
  evidence.figures.exposed_copy = Millis(10.1);
  EXPECT_EQ(cause_of(evidence), InputCause::kCopy);
  evidence.figures.exposed_copy = Millis(9.9);
  EXPECT_EQ(cause_of(evidence), InputCause::kDecode);
}

// Two workers that hand a batch over in 3 ms and wait 50 ms for the engines, in a step of 30 ms.
InputEvidence waiting_for_engines() {
  InputEvidence evidence = starving();
  evidence.workers = 2;
  evidence.figures.read = Millis(0.1);
  evidence.figures.decode = Millis(0.2);
  evidence.figures.resize = Millis(0);
  evidence.figures.utilisation = 0.05;
  evidence.figures.engine_wait = Millis(50);
  evidence.work_without_slow = Millis(3);
  evidence.usual_sample = Millis(0.3);
  return evidence;
}

TEST(InputDiagnosis, of_workers_that_wait_for_the_engines_advises_no_more_of_them) {
  const InputDiagnosis diagnosis = diagnose_input(waiting_for_engines());
  EXPECT_EQ(diagnosis.cause, InputCause::kEngines);
  EXPECT_EQ(diagnosis.why,
            "2 workers wait 83 % of the time for the hardware decoder and are busy 5 %; a step "
            "takes 30.0 ms, and the step without input takes 20.0 ms (reference): the GPU's JPEG "
            "engines are the limit, and more workers would wait for them, too; a smaller "
            "input.hardware_share leaves the workers a part");
  EXPECT_EQ(diagnosis.workers_needed, std::nullopt);
}

TEST(InputDiagnosis, blames_the_engines_only_where_waiting_for_them_is_most_of_the_time) {
  InputEvidence evidence = waiting_for_engines();
  evidence.figures.engine_wait = Millis(42.1);  // with 3 ms of work, of 60 ms
  EXPECT_EQ(cause_of(evidence), InputCause::kEngines);
  evidence.figures.engine_wait = Millis(41.9);
  EXPECT_EQ(cause_of(evidence), InputCause::kUnknown) << "the workers are idle, too";
  evidence.figures.decode = Millis(4.9);  // 50 ms of work
  evidence.figures.utilisation = 0.83;
  evidence.figures.engine_wait = Millis(50.1);
  EXPECT_EQ(cause_of(evidence), InputCause::kEngines);
  evidence.figures.engine_wait = Millis(49.9);
  EXPECT_EQ(cause_of(evidence), InputCause::kDecode);
  EXPECT_EQ(diagnose_input(evidence).workers_needed, 3) << "of 50 ms of work alone";
}

TEST(InputDiagnosis, does_not_blame_engines_where_nothing_waited) {
  InputEvidence evidence = waiting_for_engines();
  evidence.figures.worker_wait = Millis(0.1);
  EXPECT_EQ(cause_of(evidence), InputCause::kConsumer);
}

TEST(InputDiagnosis, tells_of_workers_without_a_core) {
  InputEvidence evidence = starving();
  evidence.figures.cpu = Millis(7.3);
  EXPECT_THAT(diagnose_input(evidence).why, Not(HasSubstr("of a core")));
  evidence.figures.cpu = Millis(4.5);
  EXPECT_THAT(diagnose_input(evidence).why,
              HasSubstr("; each worker had 50 % of a core while at work"));
}

TEST(InputDiagnosis, says_where_more_workers_have_no_core) {
  InputEvidence evidence = starving();
  evidence.cores = 6;
  EXPECT_THAT(diagnose_input(evidence).why, EndsWith("5 workers would do"));
  evidence.cores = 5;
  EXPECT_THAT(diagnose_input(evidence).why,
              EndsWith("5 workers would do, but 5 cores are allowed to them and the training "
                       "thread"));
}

TEST(WorkersFor, are_the_fewest_that_supply_a_tenth_more_than_the_demand) {
  EXPECT_EQ(workers_for(Millis(100), Millis(22.1)), 5);  // 110 / 22.1 = 4.98
  EXPECT_EQ(workers_for(Millis(100), Millis(21.9)), 6);  // 5.02
  EXPECT_EQ(workers_for(Millis(0), Millis(20)), 1);
}

}  // namespace
}  // namespace traceml
