#pragma once

#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/backends/local/thread_group.h"
#include "harness/codec/raw_files.h"
#include "harness/runner/rank_program.h"
#include "harness/runner/watched_ports.h"
#include "tests/runner/fake_workload.h"

namespace traceml {

// A reference, a candidate and the candidate's bare twin; windows of 4 steps after 2 settle steps.
inline Plan small_plan(int ranks) {
  Plan plan;
  CampaignFacts& facts = plan.facts;
  facts.world_size = ranks;
  facts.steps_per_window = 4;
  facts.settle_steps = 2;
  facts.warmup_steps = 3;
  facts.looks = {6};
  facts.max_blocks = 6;
  facts.seed = 7;
  facts.arms.resize(3);
  facts.arms[0].name = "reference";
  facts.arms[0].input_free = true;
  facts.arms[1].name = "shipped";
  facts.arms[1].reference = ArmIndex{0};
  facts.arms[2].name = "shipped/none";
  facts.arms[2].instrument = Instrument::kNone;
  facts.arms[2].reference = ArmIndex{0};
  facts.arms[2].hidden = true;
  for (ArmFacts& arm : facts.arms) arm.global_batch = 8 * ranks;
  plan.config.measure.step_timeout = Seconds(3600);
  return plan;
}

// `ranks` ranks as threads, each with its clock, workload and folder.
class RankProgramTest : public testing::Test {
 protected:
  struct RankState {
    ManualClock clock;
    FakeWorkload workload{clock};
    Position position;
    RankOptions options;
    DeviceMonitor* monitor = nullptr;
    RunOutcome outcome;
    std::vector<std::string> failures;  // what was acted on
    std::size_t aborts = 0;             // of its exchange
  };

  void SetUp() override {
    std::string pattern = testing::TempDir() + "rank_program_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
    set_ranks(2);
  }

  void TearDown() override { std::filesystem::remove_all(dir_); }

  void set_ranks(int ranks) {
    plan_ = small_plan(ranks);
    std::filesystem::remove_all(dir_);
    group_ = std::make_unique<ThreadGroup>(ranks, group_clock_);
    ranks_.clear();
    for (int rank = 0; rank < ranks; ++rank) {
      auto state = std::make_unique<RankState>();
      state->options.build = "0.1.0 abc";
      state->options.own_raw_dir = at_rank(rank);
      state->options.out_raw_dir = at_rank(0);
      std::filesystem::create_directories(state->options.own_raw_dir);
      ranks_.push_back(std::move(state));
    }
  }

  Roll roll_of(int rank) {
    Roll roll;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      roll.ranks.push_back({Rank{static_cast<int>(i)}, &ranks_[i]->position});
    }
    roll.own = static_cast<std::size_t>(rank);
    return roll;
  }

  FakeWorkload& workload(int rank) { return at(rank).workload; }
  RankState& at(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }

  void run() {
    group_->run([this](Transport& transport, Collective&) {
      RankState& state = at(transport.rank().value);
      const Plan& plan = plan_of(transport.rank().value);
      WatchedTransport watched(transport, state.position);
      RunWatch watch(watched, roll_of(transport.rank().value));
      watch.set_step_timeout(plan.config.measure.step_timeout);
      watch.set_acts(
          {.what_is_left = {}, .after_words = [&state](const std::string& sentence, bool) {
             state.failures.push_back(sentence);
           }});
      watch.set_abort([&state] { ++state.aborts; });
      state.outcome = run_rank(plan, state.options, watch, state.workload, watched, state.clock,
                               nullptr, state.monitor);
    });
  }

  // The sentence of the failure that ended the run, empty where none did.
  std::string failure_of_run() {
    try {
      run();
    } catch (const RankEnded& ended) {
      EXPECT_EQ(ended.code(), ExitCode::kRunFailed);
      return ended.what();
    }
    return {};
  }

  const Plan& plan_of(int rank) {
    return other_plans_.contains(rank) ? other_plans_.at(rank) : plan_;
  }

  // From the files in rank 0's folder.
  RankRecords records_of(int rank) const { return records_in(at_rank(0), rank); }
  // From the files in the rank's own folder.
  RankRecords own_records_of(int rank) const { return records_in(at_rank(rank), rank); }

  std::filesystem::path at_rank(int rank) const {
    return dir_ / ("rank" + std::to_string(rank)) / "raw";
  }

  RankRecords records_in(const std::filesystem::path& dir, int rank) const {
    std::vector<std::string> names;
    for (const ArmFacts& arm : plan_.facts.arms) names.push_back(arm.name);
    std::vector<std::string> warnings;
    const auto records = read_rank_records({dir, RunId{}, names}, Rank{rank}, &warnings);
    EXPECT_TRUE(warnings.empty());
    return records;
  }

  std::filesystem::path dir_;
  ManualClock group_clock_;
  std::unique_ptr<ThreadGroup> group_;
  Plan plan_;
  std::map<int, Plan> other_plans_;
  std::vector<std::unique_ptr<RankState>> ranks_;
};

}  // namespace traceml
