#include "harness/plan/sweep_text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/plan/figures.h"
#include "harness/plan/sweep.h"

namespace traceml {

namespace {

std::string name_of(const Plan& plan, ArmIndex arm) {
  return plan.facts.arms[static_cast<std::size_t>(arm.value)].name;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

std::string settings_table(const Plan& plan, const SweepSpec& sweep) {
  TextTable table({"cost", "setting", "loader threads", "host bytes", "reference"});
  std::vector<const SweepSetting*> cheapest_first;
  for (const SweepSetting& setting : sweep.settings) cheapest_first.push_back(&setting);
  std::sort(cheapest_first.begin(), cheapest_first.end(),
            [](const SweepSetting* one, const SweepSetting* two) {
              return one->cost_rank < two->cost_rank;
            });
  for (const SweepSetting* setting : cheapest_first) {
    const ArmFacts& arm = plan.facts.arms[static_cast<std::size_t>(setting->arm.value)];
    table.add({std::to_string(setting->cost_rank + 1), arm.name,
               std::to_string(setting->loader_threads), bytes_figure(setting->loader_bytes),
               arm.reference ? name_of(plan, *arm.reference) : "-"});
  }
  return table.text();
}

std::string judged_looks(const CampaignFacts& facts) {
  if (facts.until_verdict) {
    return "after every second block from " + std::to_string(earliest_end(facts)) + " to " +
           std::to_string(facts.max_blocks);
  }
  std::vector<std::string> looks;
  for (const int look : facts.looks) {
    if (look >= earliest_end(facts) && look <= facts.max_blocks) {
      looks.push_back(std::to_string(look));
    }
  }
  return "after " + list_of(looks) + " blocks";
}

}  // namespace

int earliest_end(const CampaignFacts& facts) {
  const int least = kChoosingBlocks + facts.looks.front();
  const auto look = std::lower_bound(facts.looks.begin(), facts.looks.end(), least);
  return look == facts.looks.end() ? facts.max_blocks : *look;
}

std::string sweep_section(const Plan& plan) {
  if (!plan.facts.sweep) return "";
  const SweepSpec& sweep = *plan.facts.sweep;
  const CampaignFacts& facts = plan.facts;
  const auto arms = static_cast<std::int64_t>(facts.arms.size());
  std::string text = "sweep of " + sweep.arm + " over " + list_of(sweep.keys) + ": " +
                     std::to_string(sweep.settings.size()) + " settings, margin " +
                     percent_figure(sweep.delta) + "\n" + settings_table(plan, sweep);
  text += "  cost: " + std::string(kCostInWords) + "\n";
  if (sweep.common_reference) {
    text += "  common reference of all settings: " + name_of(plan, *sweep.common_reference) + "\n";
  }
  text += "  " + std::to_string(kChoosingBlocks) +
          " blocks choose the best setting, those after them judge the others against it, at "
          "looks\n  " +
          judged_looks(facts) + "; a setting that is tied or worse leaves the later blocks\n";
  text += "  " + with_thousands(arms) + " windows a block, " +
          with_thousands(arms * earliest_end(facts)) + " at the earliest end and at most " +
          with_thousands(arms * facts.max_blocks) + "\n\n";
  return text;
}

}  // namespace traceml
