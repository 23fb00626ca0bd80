// What is said beside the traces of our own runs.

#include "harness/analysis/own_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/analysis/trace_findings.h"
#include "tests/analysis/trace_script.h"

namespace traceml::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kSteps = 10;

// 4 kernels forward, 8 backward from the engine's thread, 1 in the optimizer, one between phases.
void step(TraceScript* script, int number, Nanos wait = us(20)) {
  script->on_thread("main").on_stream("7");
  script->open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(number));
  script->span(HostKind::kAnnotation, "input_wait", wait);
  script->open(HostKind::kAnnotation, "forward");
  for (int i = 0; i < 4; ++i) script->kernel("conv", us(100));
  script->close();
  script->open(HostKind::kAnnotation, "backward");
  const Nanos begin = script->now();
  script->on_thread("engine").wait_until(begin);
  for (int i = 0; i < 8; ++i) script->kernel("conv_back", us(100));
  const Nanos end = script->now();
  script->on_thread("main").wait_until(end + us(1)).close();
  script->kernel("between", us(50));
  script->open(HostKind::kAnnotation, "optimizer");
  script->kernel("sgd", us(100)).close().close();
  script->wait_until(script->stream_free() + us(10));
}

OwnTraceFacts facts() {
  OwnTraceFacts facts;
  facts.arm = "shipped";
  facts.collector = "CUPTI";
  facts.event_ns[index_of(Phase::kForward)] = kSteps * 400'000;
  facts.event_ns[index_of(Phase::kBackward)] = kSteps * 808'000;
  facts.event_ns[index_of(Phase::kOptimizer)] = kSteps * 100'000;
  return facts;
}

TraceReport report_of(TimelineEvents events, const OwnTraceFacts& own,
                      std::optional<RunOfTrace> run = std::nullopt) {
  events.facts.own = own;
  TraceOptions options;
  options.run = std::move(run);
  return explain_timeline(make_timeline(std::move(events)), options, "rank_0000.cycle_0.json.gz");
}

TimelineEvents job(Nanos wait = us(20)) {
  TraceScript script;
  for (int i = 0; i < kSteps; ++i) step(&script, i, wait);
  return script.events();
}

const PhaseCheck& phase(const TraceReport& report, const std::string& name) {
  for (const PhaseCheck& one : report.own->phases) {
    if (one.phase == name) return one;
  }
  throw std::logic_error("no phase " + name);
}

TEST(OwnTrace, NothingIsSaidOfAProfilersTrace) {
  TraceScript script;
  step(&script, 0);
  EXPECT_FALSE(explained(script).own.has_value());
}

TEST(OwnTrace, WorkOfTheEnginesThreadBelongsToThePhaseOfItsTime) {
  const TraceReport report = report_of(job(), facts());
  EXPECT_EQ(phase(report, "backward").kernels, kSteps * us(800));
  EXPECT_EQ(phase(report, "forward").kernels, kSteps * us(400));
  EXPECT_EQ(report.own->kernels, kSteps * us(1350));
  EXPECT_EQ(report.own->attributed, kSteps * us(1300)) << "one kernel is between phases";
}

TEST(OwnTrace, PhasesStandBesideTheEventClock) {
  const TraceReport report = report_of(job(), facts());
  EXPECT_EQ(phase(report, "forward").span, kSteps * us(400));
  EXPECT_EQ(phase(report, "forward").events, kSteps * us(400));
  EXPECT_EQ(phase(report, "backward").events, kSteps * us(808));
  EXPECT_EQ(report.own->compute_events, kSteps * us(1308));
  EXPECT_EQ(report.own->compute_span, kSteps * us(1350)) << "what lies between counts";
  EXPECT_EQ(report.own->compute_explained, report.own->compute_span);
}

// What the optimizer waits for is no part of a phase; a collective under backward's gap is beside
// it.
TEST(OwnTrace, ExchangeBetweenTwoPhasesIsNoPartOfCompute) {
  const auto job_with = [](Nanos between) {
    TraceScript script;
    for (int i = 0; i < kSteps; ++i) {
      script.on_thread("main").on_stream("7");
      script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(i));
      script.open(HostKind::kAnnotation, "backward").kernel("conv_back", us(100));
      script.on_stream("20").kernel("ncclDevKernel_AllReduce", us(200)).on_stream("7");
      script.wait_until(script.now() + us(150)).kernel("conv_back", us(100));
      script.wait_until(script.stream_free()).close();
      if (between > 0ns) {
        script.on_stream("20").kernel("ncclDevKernel_AllReduce", between);
        script.wait_until(script.stream_free()).on_stream("7");
      }
      script.open(HostKind::kAnnotation, "optimizer").kernel("sgd", us(100)).close().close();
      script.wait_until(script.stream_free() + us(10));
    }
    return report_of(script.events(), facts());
  };
  const TraceReport alone = job_with(0ns);
  const TraceReport exchanged = job_with(1500us);
  EXPECT_GT(alone.own->compute_span, kSteps * us(350)) << "the gap within backward counts";
  EXPECT_LT(exchanged.own->compute_span - alone.own->compute_span, kSteps * us(20))
      << "but for the launch calls";
  EXPECT_EQ(exchanged.own->compute_explained, exchanged.own->compute_span)
      << "1.5 ms of exchange are no gap";
}

TEST(OwnTrace, APhaseOfWhichAStepLacksItsEventsHasNoSum) {
  OwnTraceFacts lacking = facts();
  lacking.event_ns[index_of(Phase::kBackward)] = std::nullopt;
  const TraceReport report = report_of(job(), lacking);
  EXPECT_EQ(phase(report, "backward").events, std::nullopt);
  EXPECT_EQ(report.own->compute_events, std::nullopt);
}

TEST(OwnTrace, TheTracedStepIsHeldAgainstTheMeasuredOne) {
  const TraceReport report =
      report_of(job(), facts(),
                RunOfTrace{.bare_step = Millis{1.0}, .bare_arm = "shipped/none", .settings = {}});
  ASSERT_TRUE(report.own->step.has_value());
  EXPECT_DOUBLE_EQ(*report.own->ratio, Millis(*report.own->step).count());
  EXPECT_FALSE(report_of(job(), facts()).own->ratio.has_value());
}

// Nodes 3 and 4 of 6 are backward's.
TEST(OwnTrace, NodesOfAGraphBelongToThePhaseInWhichTheyWereCaptured) {
  TraceScript script;
  for (int i = 0; i < kSteps; ++i) {
    script.open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(i));
    script.graph(6, us(100), us(1)).close();
    script.wait_until(script.stream_free() + us(10));
  }
  TimelineEvents events = script.events();
  std::int64_t node = 0;
  for (DeviceSpan& span : events.device) {
    span.graph_node = (std::int64_t{2} << 32) + node++ % 6;
  }
  OwnTraceFacts own = facts();
  own.graph_nodes_before[index_of(Phase::kForward)] = 0;
  own.graph_nodes_before[index_of(Phase::kBackward)] = 3;
  own.graph_nodes_before[index_of(Phase::kOptimizer)] = 5;
  const TraceReport report = report_of(events, own);
  EXPECT_TRUE(report.own->graphs);
  EXPECT_EQ(report.own->attributed, report.own->kernels);
  EXPECT_EQ(phase(report, "forward").kernels, kSteps * us(300));
  EXPECT_EQ(phase(report, "backward").kernels, kSteps * us(200));
  EXPECT_EQ(phase(report, "optimizer").kernels, kSteps * us(100));
  EXPECT_EQ(phase(report, "backward").span, kSteps * us(201));

  const TraceReport unknown = report_of(events, facts());
  EXPECT_EQ(unknown.own->attributed, 0ns) << "nobody counted its nodes";
}

TEST(OwnTrace, ATraceNoLongerThanTheQueueSaysThatItCannotShowStalls) {
  OwnTraceFacts own = facts();
  own.queue_capacity = kSteps;
  EXPECT_THAT(report_of(job(), own).trust.remarks, Contains(HasSubstr("cannot show input stalls")));
  own.queue_capacity = kSteps - 1;
  EXPECT_THAT(report_of(job(), own).trust.remarks,
              Not(Contains(HasSubstr("cannot show input stalls"))));
}

TEST(OwnTrace, LostRecordsMakeIdleARange) {
  OwnTraceFacts own = facts();
  own.before_launch = 2;
  const TraceReport report = report_of(job(), own);
  EXPECT_EQ(report.trust.idle, IdleTrust::kRange);
  EXPECT_THAT(report.trust.remarks.front(), HasSubstr("2 that began before their launch call"));
  EXPECT_EQ(report_of(job(), facts()).trust.idle, IdleTrust::kNumber);
}

TEST(OwnTrace, OperatorsWithoutRoomAreTold) {
  OwnTraceFacts own = facts();
  own.operators = 90;
  own.dropped_operators = 10;
  EXPECT_THAT(report_of(job(), own).trust.remarks,
              Contains(HasSubstr("10 operators of 100 left out for lack of room")));
  own.dropped_operators = 0;
  EXPECT_THAT(report_of(job(), own).trust.remarks, IsEmpty());
}

TEST(OwnTrace, ClocksThatRanApartAreTold) {
  OwnTraceFacts own = facts();
  own.clock_drift_ns = -1'500;
  EXPECT_THAT(report_of(job(), own).trust.remarks, Contains(HasSubstr("-1500 ns away")));
  EXPECT_THAT(report_of(job(), facts()).trust.remarks, IsEmpty());
}

TEST(OwnTrace, ALateBatchIsCheckedWithTwiceTheWorkers) {
  const TraceReport report =
      report_of(job(us(900)), facts(), RunOfTrace{{}, "", {{"input.workers", "4"}}});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().cause, "late_batch");
  EXPECT_THAT(report.findings.front().next_check,
              HasSubstr("traceml-bench run CONFIG --set input.workers=8;"));
}

TEST(OwnTrace, AKeyThatTheArmSetsItselfIsSetThere) {
  RunOfTrace run{{}, "", {{"input.workers", "4"}}};
  run.arm = "shipped";
  run.arms_own_keys = {"input.workers"};
  const std::string check = next_check_in_run("late_batch", run);
  EXPECT_THAT(check, HasSubstr("--set arms.shipped.input.workers=8;"));
  EXPECT_THAT(check, HasSubstr("--set input.source=synthetic"));
}

TEST(OwnTrace, EveryCauseThatARunCanCheckHasACommand) {
  const RunOfTrace run{{}, "", {{"workload.batch_size", "32"}}};
  for (const std::string cause :
       {"late_batch", "blocking_copy", "pageable_input", "sync_in_loop", "small_kernels",
        "graph_gaps", "exposed_communication", "slow_rank", "allocator_in_loop", "silent_thread"}) {
    EXPECT_THAT(next_check_in_run(cause, run), HasSubstr("traceml-bench run CONFIG --set "))
        << cause;
  }
  EXPECT_EQ(next_check_in_run("memory_growth", run), "");
}

TEST(OwnTrace, NoCheckSetsWhatTheRunHasAlready) {
  const RunOfTrace run{{},
                       "",
                       {{"input.workers", "4"},
                        {"input.source", "synthetic"},
                        {"input.copy", "async"},
                        {"input.pinned", "true"},
                        {"workload.execution", "graph"},
                        {"workload.exchange", "none"},
                        {"workload.cores", "share"}}};
  for (const std::string cause :
       {"late_batch", "blocking_copy", "pageable_input", "sync_in_loop", "small_kernels",
        "exposed_communication", "slow_rank", "collective_skew", "silent_thread"}) {
    EXPECT_EQ(next_check_in_run(cause, run), "") << cause;
  }
}

TEST(OwnTrace, AFindingWhoseCheckTheRunHasAlreadyMadeKeepsTheGeneralOne) {
  std::vector<TraceFinding> findings = {{"blocking_copy", 0, "", "", "non_blocking"}};
  use_checks_of_run(RunOfTrace{{}, "", {{"input.copy", "async"}}}, &findings);
  EXPECT_EQ(findings.front().next_check, "non_blocking");
  use_checks_of_run(RunOfTrace{{}, "", {{"input.copy", "blocking"}}}, &findings);
  EXPECT_THAT(findings.front().next_check, HasSubstr("--set input.copy=async"));
}

TEST(OwnTrace, FirstStepsThatWereSkippedAreSkippedTwiceAsFar) {
  EXPECT_THAT(next_check_in_run("long_host_call", {{}, "", {{"trace.skip_first", "0"}}}),
              HasSubstr("--set trace.skip_first=64:"));
  EXPECT_THAT(next_check_in_run("long_host_call", {{}, "", {{"trace.skip_first", "64"}}}),
              HasSubstr("--set trace.skip_first=128:"));
}

}  // namespace
}  // namespace traceml::testing
