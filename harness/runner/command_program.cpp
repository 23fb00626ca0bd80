#include "harness/runner/command_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "harness/analysis/campaign.h"
#include "harness/analysis/command_campaign.h"

namespace traceml {
namespace {

class Campaign {
 public:
  Campaign(const Plan& plan, Launcher& launcher, CommandFile& file, HostClock& clock,
           ProgressSink* progress)
      : plan_(plan), launcher_(launcher), file_(file), clock_(clock), progress_(progress) {}

  CommandOutcome run() {
    begin_ = clock_.now();
    std::vector<ArmIndex> arms;
    for (int i = 0; i < static_cast<int>(plan_.facts.arms.size()); ++i) arms.push_back({i});
    if (!warm_up(arms)) return outcome_;
    while (!arms.empty()) {
      const int look = next_look();
      if (!run_blocks(arms, look)) return outcome_;
      arms = decide_at_look(plan_.facts, {windows_of_commands(plan_.facts, launches_)}, look)
                 .arms_needed;
    }
    outcome_.finished = true;
    return outcome_;
  }

 private:
  const std::string& name_of(ArmIndex arm) const {
    return plan_.facts.arms[static_cast<std::size_t>(arm.value)].name;
  }

  int next_look() const {
    for (const int look : plan_.facts.looks) {
      if (look > valid_blocks_ && look < plan_.facts.max_blocks) return look;
    }
    return plan_.facts.max_blocks;
  }

  // False: the campaign is over, and outcome_ says why.
  bool warm_up(const std::vector<ArmIndex>& arms) {
    for (int round = 0; round < plan_.config.measure.warmup_launches; ++round) {
      for (const ArmIndex arm : arms) {
        if (progress_ != nullptr) progress_->on_warm_up(name_of(arm));
        const CommandRecord record = launch({.arm = arm});
        if (stopped_) return false;
        if (!record.void_reason.empty()) return fail_at(record, "");
      }
    }
    return true;
  }

  // Until `look` blocks are valid; void ones run again at the end.
  bool run_blocks(const std::vector<ArmIndex>& arms, int look) {
    std::deque<int> pending;
    for (int block = valid_blocks_; block < look; ++block) pending.push_back(block);
    while (!pending.empty()) {
      const int block = pending.front();
      pending.pop_front();
      const std::optional<CommandRecord> culprit = run_block(arms, block);
      if (stopped_) return false;
      if (!culprit) {
        ++valid_blocks_;
      } else {
        pending.push_back(block);
        if (++void_blocks_ > void_blocks_allowed(look)) return fail_at(*culprit, too_many(look));
      }
      if (time_is_up(look, pending.empty())) return false;
    }
    return true;
  }

  // The launch that voids the block; nullopt: it is valid.
  std::optional<CommandRecord> run_block(const std::vector<ArmIndex>& arms, int block) {
    for (const PlannedWindow& planned : make_block(plan_.facts, block, arms, {0})) {
      const CommandRecord record =
          launch({.arm = planned.arm, .block = block, .order = planned.order});
      if (stopped_ || !record.void_reason.empty()) return record;
      if (progress_ == nullptr) continue;
      progress_->on_window({.arm = name_of(planned.arm),
                            .window = {record.launch},
                            .block = block,
                            .max_blocks = plan_.facts.max_blocks,
                            .order = planned.order,
                            .windows_in_block = static_cast<int>(arms.size()),
                            .elapsed = clock_.now() - begin_});
    }
    return std::nullopt;
  }

  CommandRecord launch(LaunchPlace place) {
    place.launch = static_cast<std::int64_t>(launches_.size());
    LaunchOutcome done = launcher_.launch(place);
    file_.append(done.record);
    launches_.push_back(std::move(done.record));
    log_place_ = std::move(done.log_place);
    stopped_ = done.stopped;
    if (stopped_) {
      outcome_.failure = fmt::format("{} {}; finished launches are kept", named(launches_.back()),
                                     launches_.back().void_reason);
    } else if (launches_.back().timed_out) {
      end_at_launch_timeout();
    }
    return launches_.back();
  }

  // To replace it would be to leave out a launch for its time.
  void end_at_launch_timeout() {
    stopped_ = true;
    outcome_.failure = fmt::format(
        "{} took longer than its {:g} s (measure.launch_timeout), and a launch is never replaced "
        "for its time; its output is in {}; finished launches are kept",
        named(launches_.back()), plan_.config.measure.launch_timeout.count(), log_place_);
    outcome_.log_of_failure = log_place_;
  }

  std::string named(const CommandRecord& record) const {
    return fmt::format("launch {} ({}, {})", record.launch, name_of(record.arm),
                       record.block ? fmt::format("block {}", *record.block) : "warm-up");
  }

  std::string too_many(int look) const {
    return fmt::format(
        "; {} of {} blocks are void, more than the 20 % that are replaced (at most "
        "{} until the look at {})",
        void_blocks_, valid_blocks_ + void_blocks_, void_blocks_allowed(look), look);
  }

  bool fail_at(const CommandRecord& record, const std::string& rule) {
    outcome_.failure = fmt::format("{} {}; its output is in {}{}", named(record),
                                   record.void_reason, log_place_, rule);
    outcome_.log_of_failure = log_place_;
    return false;
  }

  // Asked after each block; the blocks of a look that are all there are judged all the same.
  bool time_is_up(int look, bool look_is_due) {
    const Seconds limit = plan_.config.measure.time_limit;
    const bool over = clock_.now() - begin_ >= std::chrono::duration_cast<Nanos>(limit);
    if (!over || (look_is_due && look == plan_.facts.max_blocks)) return false;
    if (look_is_due &&
        decide_at_look(plan_.facts, {windows_of_commands(plan_.facts, launches_)}, look).stop) {
      return false;
    }
    outcome_.failure = fmt::format(
        "the time limit of {:g} s (measure.time_limit) was reached after {} of at most {} blocks; "
        "finished launches are kept",
        limit.count(), valid_blocks_, plan_.facts.max_blocks);
    return true;
  }

  const Plan& plan_;
  Launcher& launcher_;
  CommandFile& file_;
  HostClock& clock_;
  ProgressSink* progress_;
  Nanos begin_{};
  std::vector<CommandRecord> launches_;
  std::string log_place_;
  int valid_blocks_ = 0;
  int void_blocks_ = 0;
  bool stopped_ = false;  // no further launch; outcome_ says why
  CommandOutcome outcome_;
};

}  // namespace

CommandOutcome run_command_campaign(const Plan& plan, Launcher& launcher, CommandFile& file,
                                    HostClock& clock, ProgressSink* progress) {
  return Campaign(plan, launcher, file, clock, progress).run();
}

}  // namespace traceml
