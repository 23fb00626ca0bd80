#include "harness/codec/raw_plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/codec/raw_format.h"
#include "harness/core/error.h"
#include "harness/plan/plan.h"

namespace traceml {
namespace {

class PlanCheck {
 public:
  PlanCheck(const CampaignFacts& facts, const RankRecords& records, const std::string& dir)
      : facts_(facts), records_(records), dir_(dir) {}

  void check() {
    for (const WindowRecord& record : records_.windows) check_range(record);
    plan_windows();
    std::set<WindowIndex> seen;
    for (const WindowRecord& record : records_.windows) {
      check_window(record);
      if (!seen.insert(record.window).second) refuse(record, kTwice);
    }
    check_steps();
    check_collectives();
    check_inputs();
    check_devices();
  }

 private:
  std::string name_of_arm(ArmIndex arm) const {
    return facts_.arms[static_cast<std::size_t>(arm.value)].name;
  }

  [[noreturn]] void refuse(RawFile file, const std::string& row, const std::string& fault) const {
    throw RunError(fmt::format("{}/{}: the row of {} {}", dir_, raw_file_name(file, records_.rank),
                               row, fault));
  }

  [[noreturn]] void refuse(const WindowRecord& record, const std::string& fault) const {
    refuse(RawFile::kWindows,
           fmt::format("arm {}, block {}, order {}, window {}", name_of_arm(record.arm),
                       record.block, record.order, record.window.value),
           fault);
  }

  void check_range(const WindowRecord& record) const {
    if (record.block < 0 || record.block >= facts_.max_blocks) {
      refuse(record,
             fmt::format("is not in the plan, which has blocks 0 to {}", facts_.max_blocks - 1));
    }
    if (record.steps != facts_.steps_per_window) {
      refuse(record,
             fmt::format("has {} steps; the plan has {}", record.steps, facts_.steps_per_window));
    }
  }

  // Arms leave the run at looks alone, so that those of the blocks between two looks are the ones
  // that rows of these blocks name.
  void plan_windows() {
    std::vector<std::set<ArmIndex>> arms(static_cast<std::size_t>(facts_.max_blocks));
    for (const WindowRecord& record : records_.windows) {
      arms[static_cast<std::size_t>(stretch_of(record.block))].insert(record.arm);
    }
    for (std::size_t i = 0; i < facts_.arms.size(); ++i) {
      arms.front().insert(ArmIndex{static_cast<int>(i)});
    }
    int last = -1;
    for (const WindowRecord& record : records_.windows) last = std::max(last, record.block);
    WindowIndex next{0};
    for (int block = 0; block <= last; ++block) {
      const std::set<ArmIndex>& running = arms[static_cast<std::size_t>(stretch_of(block))];
      for (const PlannedWindow& window :
           make_block(facts_, block, {running.begin(), running.end()}, next)) {
        planned_[{block, window.arm}] = window;
        arm_of_[window.index] = window.arm;
      }
      next.value += static_cast<std::int64_t>(running.size());
    }
  }

  // The first block after the last look before it.
  int stretch_of(int block) const {
    const auto later = std::upper_bound(facts_.looks.begin(), facts_.looks.end(), block);
    return later == facts_.looks.begin() ? 0 : *(later - 1);
  }

  void check_window(const WindowRecord& record) const {
    const PlannedWindow& planned = planned_.at({record.block, record.arm});
    if (record.order == planned.order && record.window == planned.index) return;
    refuse(record, fmt::format("is not in the plan, which has this arm and block as order {}, "
                               "window {}",
                               planned.order, planned.index.value));
  }

  std::string place(ArmIndex arm, const std::optional<WindowIndex>& window, StepIndex step) const {
    return fmt::format("arm {}, {}, step {}", name_of_arm(arm),
                       window ? fmt::format("window {}", window->value) : "warm-up", step.value);
  }

  // Whether the plan has this window for this arm and this step in it.
  bool holds(ArmIndex arm, const std::optional<WindowIndex>& window, StepIndex step) const {
    if (step.value < 0) return false;
    if (!window) return true;  // a warm-up may take several rounds
    const auto found = arm_of_.find(*window);
    return found != arm_of_.end() && found->second == arm &&
           step.value < facts_.settle_steps + facts_.steps_per_window;
  }

  void check_steps() const {
    std::vector<Key> keys;
    keys.reserve(records_.steps.size());
    for (const StepRecord& record : records_.steps) {
      const bool timed = record.window && record.step.value >= facts_.settle_steps;
      if (!holds(record.arm, record.window, record.step)) {
        refuse(RawFile::kSteps, place(record.arm, record.window, record.step), kNotPlanned);
      }
      if (record.timed != timed) {
        refuse(RawFile::kSteps, place(record.arm, record.window, record.step),
               fmt::format("has timed {:d}; the plan has {:d}", record.timed, timed));
      }
      keys.push_back({record.window, record.arm, record.step, 0});
    }
    refuse_twins(RawFile::kSteps, std::move(keys));
  }

  void check_collectives() const {
    std::vector<Key> keys;
    keys.reserve(records_.collectives.size());
    for (const CollectiveRecord& record : records_.collectives) {
      if (!holds(record.arm, record.window, record.step)) {
        refuse(RawFile::kCollectives, place(record.arm, record.window, record.step), kNotPlanned);
      }
      keys.push_back({record.window, record.arm, record.step, record.bucket});
    }
    refuse_twins(RawFile::kCollectives, std::move(keys));
  }

  void check_inputs() const {
    std::vector<Key> keys;
    keys.reserve(records_.inputs.size());
    for (const InputRecord& record : records_.inputs) {
      const bool loads =
          facts_.arms[static_cast<std::size_t>(record.arm.value)].workers.has_value();
      if (!loads || !holds(record.arm, record.window, record.step)) {
        refuse(RawFile::kInput, place(record.arm, record.window, record.step), kNotPlanned);
      }
      keys.push_back({record.window, record.arm, record.step, 0});
    }
    refuse_twins(RawFile::kInput, std::move(keys));
  }

  void check_devices() const {
    std::set<std::pair<WindowIndex, DeviceWhen>> seen;
    for (const DeviceRecord& record : records_.devices) {
      const std::string row =
          fmt::format("window {}, {}", record.window.value,
                      record.when == DeviceWhen::kBefore ? kBeforeWord : kAfterWord);
      if (!arm_of_.contains(record.window)) refuse(RawFile::kDevice, row, kNotPlanned);
      if (!seen.insert({record.window, record.when}).second) refuse(RawFile::kDevice, row, kTwice);
    }
  }

  struct Key {
    std::optional<WindowIndex> window;
    ArmIndex arm;
    StepIndex step;
    int bucket = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  void refuse_twins(RawFile file, std::vector<Key> keys) const {
    if (!std::is_sorted(keys.begin(), keys.end())) std::sort(keys.begin(), keys.end());
    const auto twin = std::adjacent_find(keys.begin(), keys.end());
    if (twin != keys.end()) refuse(file, place(twin->arm, twin->window, twin->step), kTwice);
  }

  static constexpr const char* kNotPlanned = "is not in the plan";
  static constexpr const char* kTwice = "stands there twice";

  const CampaignFacts& facts_;
  const RankRecords& records_;
  const std::string& dir_;
  std::map<std::pair<int, ArmIndex>, PlannedWindow> planned_;
  std::map<WindowIndex, ArmIndex> arm_of_;
};

}  // namespace

void check_against_plan(const CampaignFacts& facts, const RankRecords& records,
                        const std::string& dir) {
  PlanCheck(facts, records, dir).check();
}

}  // namespace traceml
