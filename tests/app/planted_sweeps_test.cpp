// Twenty pipelines of spin on the virtual clock whose settings differ by what is planted in them,
// by three margins more than the margin or by nothing: the whole path from a config to the answer
// of its sweep.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/app/finished_run.h"
#include "harness/app/run_session.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/reports/all_reports.h"
#include "tests/app/silence.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

using ::testing::IsEmpty;

struct Pipeline {
  std::string name;
  std::string sweep;   // without its arm and margin, which is 2 %
  std::string answer;  // name of the arm
  std::string worse;   // names of those that are, a space behind each
};
void PrintTo(const Pipeline& pipeline, std::ostream* out) {
  *out << pipeline.name;
}

// The step is 5 ms without waiting: 0.42 ms more are 8.4 %, three margins of 2 % beyond the margin.
const std::vector<Pipeline> kPipelines = {
    {"two_workers_are_enough",
     "settings: [{input.workers: 1, workload.phases_ms.input_wait: 0.42}, {input.workers: 2}, "
     "{input.workers: 4}]",
     "shipped[workers=2,input_wait=0]", "shipped[workers=1,input_wait=0.42] "},
    {"one_worker_is_enough", "over: {input.workers: [1, 2, 4]}", "shipped[workers=1]", ""},
    {"the_last_is_the_best",
     "settings: [{input.workers: 1, workload.phases_ms.input_wait: 2}, {input.workers: 2, "
     "workload.phases_ms.input_wait: 0.9}, {input.workers: 4, workload.phases_ms.input_wait: 0}]",
     "shipped[workers=4,input_wait=0]",
     "shipped[workers=1,input_wait=2] shipped[workers=2,input_wait=0.9] "},
    {"written_from_dear_to_cheap", "over: {input.workers: [8, 4, 2]}", "shipped[workers=2]", ""},
    {"no_worker_at_all", "over: {input.workers: [0, 1]}", "shipped[workers=0]", ""},
    {"order_decides_where_threads_do_not", "over: {input.prefetch: [2, 4, 8]}",
     "shipped[prefetch=2]", ""},
    {"a_deep_queue_that_pays",
     "settings: [{input.prefetch: 2, plant: [{stall: {every: 4, ms: 1.7, phase: input_wait}}]}, "
     "{input.prefetch: 8, plant: []}]",
     "shipped[prefetch=8,plant=#2]", "shipped[prefetch=2,plant=#1] "},
    {"float32_is_slower_on_the_device",
     "settings: [{input.dtype: float32, workload.phases_ms.h2d: 0.52}, {input.dtype: uint8}]",
     "shipped[dtype=uint8,h2d=0.1]", "shipped[dtype=float32,h2d=0.52] "},
    {"a_grid_of_equals", "over: {input.workers: [1, 2], input.dtype: [float32, uint8]}",
     "shipped[workers=1,dtype=float32]", ""},
    {"a_grid_with_a_slow_corner",
     "settings: [{input.workers: 1, input.dtype: float32, workload.phases_ms.input_wait: 0.42}, "
     "{input.workers: 1, input.dtype: uint8}, {input.workers: 2, input.dtype: float32}, "
     "{input.workers: 2, input.dtype: uint8}]",
     "shipped[workers=1,dtype=uint8,input_wait=0]",
     "shipped[workers=1,dtype=float32,input_wait=0.42] "},
    {"a_stall_every_eight_steps",
     "settings: [{input.workers: 1, plant: [{stall: {every: 8, ms: 3.4, phase: input_wait}}]}, "
     "{input.workers: 2, plant: []}]",
     "shipped[workers=2,plant=#2]", "shipped[workers=1,plant=#1] "},
    {"what_no_phase_holds",
     "settings: [{input.workers: 1, plant: [{untracked: {ms: 0.42}}]}, {input.workers: 2, plant: "
     "[]}]",
     "shipped[workers=2,plant=#2]", "shipped[workers=1,plant=#1] "},
    {"all_but_the_cheapest_are_slow",
     "settings: [{input.workers: 1}, {input.workers: 2, workload.phases_ms.input_wait: 0.42}, "
     "{input.workers: 4, workload.phases_ms.input_wait: 0.42}]",
     "shipped[workers=1,input_wait=0]",
     "shipped[workers=2,input_wait=0.42] shipped[workers=4,input_wait=0.42] "},
    {"more_workers_disturb_the_step",
     "settings: [{input.workers: 1, workload.phases_ms.input_wait: 0.9}, {input.workers: 2}, "
     "{input.workers: 16, plant: [{slowdown: 12%}]}]",
     "shipped[workers=2,input_wait=0,plant=#1]",
     "shipped[workers=1,input_wait=0.9,plant=#1] shipped[workers=16,input_wait=0,plant=#2] "},
    {"eight_settings_of_one_knob", "over: {input.workers: [1, 2, 3, 4, 5, 6, 7, 8]}",
     "shipped[workers=1]", ""},
    {"a_larger_batch_in_the_same_time",
     "settings: [{workload.batch_size: 64}, {workload.batch_size: 128}]", "shipped[batch_size=128]",
     "shipped[batch_size=64] "},
    {"a_larger_batch_at_the_same_rate",
     "settings: [{workload.batch_size: 64, workload.phases_ms.forward: 1.5}, "
     "{workload.batch_size: 128, workload.phases_ms.forward: 6.5}]",
     "shipped[batch_size=64,forward=1.5]", ""},
    {"buckets_make_no_difference", "over: {workload.bucket_mb: [1, 25]}", "shipped[bucket_mb=1]",
     ""},
    {"a_slow_all_reduce",
     "settings: [{workload.bucket_mb: 1, workload.allreduce_ms: 0.82}, {workload.bucket_mb: 25}]",
     "shipped[bucket_mb=25,allreduce_ms=0.4]", "shipped[bucket_mb=1,allreduce_ms=0.82] "},
    {"instruments_that_cost_nothing", "over: {measure.instrument: [none, host, events]}",
     "shipped[instrument=none]", ""},
};

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class PlantedSweep : public ::testing::TestWithParam<Pipeline> {
 protected:
  void run() {
    folder_.write("sweep.yaml", R"(workload:
  model: spin
  device: fake
  clock: virtual
  phases_ms: {input_wait: 0, h2d: 0.1, forward: 1.5, backward: 2.5, optimizer: 0.5}
  allreduce_ms: 0.4
  noise: 0.3%
measure: {warmup_steps: 16, steps: 16, max_blocks: 20}
sweep:
  arm: shipped
  margin: 2%
  )" + GetParam().sweep + "\n");
    RunArguments arguments;
    arguments.config = folder_.path("sweep.yaml");
    arguments.out = out();
    arguments.quiet = true;
    const Silence silence;
    RunWatch watch(ranks_.transport(), ranks_.roll());
    code_ = run_session(ranks_, watch, clock_, arguments);
  }

  std::string out() const { return folder_.path("run"); }

  int code_ = -1;

 private:
  testing::TemporaryFolder folder_;
  SteadyHostClock clock_;
  static Ranks& met_ranks(SteadyHostClock& clock) {
    static Ranks ranks(clock);  // MPI starts once in a process
    return ranks;
  }
  Ranks& ranks_ = met_ranks(clock_);
};

TEST_P(PlantedSweep, has_the_planned_answer_and_reports_that_are_made_again_byte_for_byte) {
  run();
  EXPECT_EQ(code_, 0);
  const FinishedRun run = read_finished_run(out(), false);
  const SweepResult& sweep = *run.summary.sweep;
  ASSERT_TRUE(sweep.answer) << sweep.why_no_answer;
  EXPECT_EQ(run.summary.arms.at(std::size_t(sweep.settings[*sweep.answer].setting.arm.value)).name,
            GetParam().answer);
  EXPECT_THAT(sweep.open, IsEmpty());
  std::string worse;
  for (const SettingResult& setting : sweep.settings) {
    EXPECT_NE(setting.standing, Standing::kUnresolved);
    if (setting.standing != Standing::kWorse) continue;
    worse += run.summary.arms.at(std::size_t(setting.setting.arm.value)).name + " ";
  }
  EXPECT_EQ(worse, GetParam().worse);
  for (const auto& [name, content] : render_files({run.info, run.plan, run.summary, out(), {}})) {
    EXPECT_EQ(content, bytes_of(std::filesystem::path(out()) / name)) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(out() + "/sweep.csv"));
}

INSTANTIATE_TEST_SUITE_P(Pipelines, PlantedSweep, ::testing::ValuesIn(kPipelines),
                         [](const auto& test) { return test.param.name; });

TEST(PlantedSweeps, are_twenty) {
  EXPECT_EQ(kPipelines.size(), 20u);
}

}  // namespace
}  // namespace traceml
