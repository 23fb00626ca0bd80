#include "harness/plan/plan_text.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/plan/arms.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/figures.h"
#include "harness/plan/loader_memory.h"
#include "harness/plan/sweep_text.h"

namespace traceml {

namespace {

const ArmFacts& arm_of(const Plan& plan, ArmIndex arm) {
  return plan.facts.arms[static_cast<std::size_t>(arm.value)];
}

std::string steps(std::int64_t count) {
  return with_thousands(count) + (count == 1 ? " step" : " steps");
}

std::string head(const Plan& plan) {
  const int ranks = plan.facts.world_size;
  std::string text = "traceml-bench check   " + plan.config.name + "   " + std::to_string(ranks) +
                     (ranks == 1 ? " rank" : " ranks") + "   seed " +
                     std::to_string(plan.config.seed) + "\n";
  if (!plan.config.question.empty()) text += plan.config.question + "\n";
  return text + "\n";
}

std::string overrides_of(const Plan& plan, const ArmConfig& arm) {
  const Config view = seen_by(plan.config, arm);
  std::string list;
  for (const std::string& key : arm.overridden) {
    list += (list.empty() ? "" : ", ") + key + ": " + text_of(view, key);
  }
  return list.empty() ? "nothing" : list;
}

std::string arms_section(const Plan& plan) {
  TextTable table({"arm", "images per step", "reference", "sets itself"});
  for (std::size_t i = 0; i < plan.facts.arms.size(); ++i) {
    const ArmFacts& arm = plan.facts.arms[i];
    const ArmConfig& config = plan.config.arms[i];
    std::string reference = arm.input_free ? "is input-free" : "-";
    if (arm.reference) reference = arm_of(plan, *arm.reference).name;
    table.add({arm.name + (arm.hidden ? " (hidden)" : ""), with_thousands(arm.global_batch),
               reference, overrides_of(plan, config)});
  }
  return table.text() + "\n";
}

std::string differences(const ArmFacts& candidate, const ArmFacts& baseline) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < candidate.settings.size(); ++i) {
    const auto& [key, value] = candidate.settings[i];
    const std::string& other = baseline.settings[i].second;
    if (value != other) keys.push_back(key + ": " + value + " against " + other);
  }
  if (keys.empty()) return "the arms differ in no key";
  std::string text;
  if (keys.size() > 1) text = "combined effect of " + std::to_string(keys.size()) + " settings: ";
  for (std::size_t i = 0; i < keys.size(); ++i) text += (i == 0 ? "" : ", ") + keys[i];
  return text;
}

std::string condition(const GateSpec& gate, const std::string& baseline) {
  if (gate.min_fraction) {
    return "throughput proven above " + percent_figure(*gate.min_fraction) + " of " + baseline;
  }
  return "wall per step proven below +" + percent_figure(gate.delta) + " of " + baseline;
}

std::string stored_condition(const Plan& plan, const GateSpec& gate) {
  const std::string what = gate.judges_ratio_to_reference()
                               ? "wall per step over that of " + arm_of(plan, gate.baseline).name
                               : "wall per step";
  return what + " proven below +" + percent_figure(gate.delta) + " of the pinned campaigns";
}

std::string stored_terms(const Plan& plan, const GateSpec& gate) {
  std::string text =
      "  " + gate.name + ": the campaign is the unit, one look after all of its launches";
  if (gate.judges_ratio_to_reference()) {
    text += "; fails, too, where " + arm_of(plan, gate.baseline).name +
            " itself is proven above +" + percent_figure(gate.stored->reference_delta);
  }
  std::string fields;
  for (const std::string& field : gate.stored->treatment) {
    fields += (fields.empty() ? "" : ", ") + field;
  }
  return text + (fields.empty() ? "; nothing else may differ" : "; may differ: " + fields) + "\n";
}

std::string gates_section(const Plan& plan) {
  if (plan.facts.gates.empty() && plan.facts.stored_gates.empty()) {
    return plan.facts.sweep ? "no gates: the run ends with the answer of its sweep, exit code 0\n\n"
                            : "no gates: the run will end with NO GATES, exit code 0\n\n";
  }
  std::string text;
  TextTable table({"gate", "passes with", "no verdict counts as"});
  for (const GateSpec& gate : plan.facts.gates) {
    table.add(
        {gate.name, condition(gate, arm_of(plan, gate.baseline).name), no_verdict_counts_as(gate)});
  }
  for (const GateSpec& gate : plan.facts.stored_gates) {
    table.add({gate.name, stored_condition(plan, gate), no_verdict_counts_as(gate)});
  }
  text += table.text();
  for (const GateSpec& gate : plan.facts.stored_gates) text += stored_terms(plan, gate);
  for (const GateSpec& gate : plan.facts.gates) {
    text += "  " + gate.name + ": " +
            differences(arm_of(plan, gate.candidate), arm_of(plan, gate.baseline)) + "\n";
  }
  return text + "\n";
}

std::string step_range(std::int64_t first, std::int64_t count) {
  if (count == 1) return std::to_string(first);
  return std::to_string(first) + " to " + std::to_string(first + count - 1);
}

std::string window_section(const Plan& plan) {
  const CampaignFacts& facts = plan.facts;
  TextTable table({"step of a window", "action"});
  table.add({"before", "restore parameters, momentum and buffers; start the arm's loader"});
  table.add({step_range(0, facts.settle_steps), "settle: recorded, not timed"});
  table.add({step_range(facts.settle_steps, facts.steps_per_window), "timed"});
  table.add({"after", "wait for the device, park the loader, read the losses"});
  std::string text = table.text();
  text += "warm-up: " + steps(facts.warmup_steps) +
          " of each arm before the first window; period " + steps(facts.period) + "\n\n";
  return text;
}

std::string blocks_section(const Plan& plan) {
  const CampaignFacts& facts = plan.facts;
  std::vector<ArmIndex> all;
  for (int i = 0; i < static_cast<int>(facts.arms.size()); ++i) all.push_back({i});
  TextTable table({"block", "window", "arm", "first batch of each rank"});
  std::int64_t next = 0;
  for (int block = 0; block < 2; ++block) {
    for (const PlannedWindow& window : make_block(facts, block, all, {next})) {
      table.add({std::to_string(block), std::to_string(window.index.value),
                 arm_of(plan, window.arm).name, with_thousands(window.first_batch)});
      ++next;
    }
  }
  if (facts.launches > 0) {
    return table.text() + "and so on, " + std::to_string(facts.max_blocks) +
           " blocks a launch; the orders are those of launch 1, and each launch has its own\n" +
           looks_text(facts) + "\n\n";
  }
  const bool only_sweeps = facts.sweep && facts.gates.empty();
  return table.text() + "and so on" + (only_sweeps ? "" : "; " + looks_text(facts)) + "\n\n";
}

std::string loaders_section(const Plan& plan) {
  const std::vector<LoaderMemory> loaders = loaders_of(plan);
  if (loaders.empty()) return "no loaders: every arm is input-free\n\n";
  TextTable table({"loader of", "workers", "slots", "bytes per slot", "host bytes per rank"});
  for (const LoaderMemory& loader : loaders) {
    table.add({loader.arm, std::to_string(loader.workers), std::to_string(loader.slots),
               with_thousands(loader.slot_bytes), bytes_figure(loader.bytes())});
  }
  if (loaders.size() > 1) table.add({"all arms", "", "", "", bytes_figure(loader_bytes(plan))});
  return table.text() + "\n";
}

std::string cost_section(const Plan& plan, std::optional<Millis> assumed_step) {
  const CampaignFacts& facts = plan.facts;
  const auto arms = static_cast<std::int64_t>(facts.arms.size());
  const std::int64_t warmup = arms * facts.warmup_steps;
  const std::int64_t block = arms * (facts.settle_steps + facts.steps_per_window);
  const auto total = [&](int blocks) { return warmup + blocks * block; };
  const auto duration = [&](std::int64_t count) {
    return !assumed_step ? std::string() : seconds_figure(Seconds(*assumed_step * count));
  };
  TextTable table({"steps of each rank", "steps", assumed_step ? "time" : ""});
  table.add({"warm-up, " + std::to_string(arms) + (arms == 1 ? " arm" : " arms"),
             with_thousands(warmup), duration(warmup)});
  table.add({"one block", with_thousands(block), duration(block)});
  if (facts.sweep && earliest_end(facts) < facts.max_blocks) {
    const int end = earliest_end(facts);
    table.add({"the sweep at the earliest, " + std::to_string(end) + " blocks",
               with_thousands(total(end)), duration(total(end))});
  } else if (facts.looks.front() < facts.max_blocks) {
    table.add({"first look, " + std::to_string(facts.looks.front()) + " blocks",
               with_thousands(total(facts.looks.front())), duration(total(facts.looks.front()))});
  }
  const auto add_launches = [&](const std::string& what, int launches) {
    const std::int64_t count = launches * total(facts.max_blocks);
    table.add({what, with_thousands(count), duration(count)});
  };
  if (facts.launches == 0) {
    add_launches("last look, " + std::to_string(facts.max_blocks) + " blocks", 1);
  } else {
    add_launches("one launch, " + std::to_string(facts.max_blocks) + " blocks", 1);
    const int first = CampaignFacts{}.looks.front();
    if (first < facts.launches) {
      add_launches("first look, " + std::to_string(first) + " launches", first);
    }
    add_launches("last look, " + std::to_string(facts.launches) + " launches", facts.launches);
    if (confirms_failures(facts)) {
      add_launches("where a gate fails and is measured again", 2 * facts.launches);
    }
  }
  std::string text = table.text();
  if (!assumed_step)
    return text + "no time estimate: give the time of a step to assume (check --step-ms 130)\n";
  text += "time: assumes that every step of every arm takes " + millis_figure(*assumed_step) +
          "; start, snapshots and reports come on top\n";
  const Seconds limit = plan.config.measure.time_limit;
  if (Seconds(*assumed_step * total(facts.max_blocks)) > limit) {
    text += facts.launches > 0 ? "a launch" : "the last look";
    text += " lies beyond measure.time_limit, " + seconds_figure(limit) + "\n";
  }
  return text;
}

}  // namespace

std::string no_verdict_counts_as(const GateSpec& gate) {
  if (gate.escalate_after > 0) {
    return "inconclusive, fail from the " + std::to_string(gate.escalate_after) + ". in a row on";
  }
  return gate.inconclusive_passes ? "pass" : "inconclusive";
}

std::string looks_text(const CampaignFacts& facts) {
  constexpr const char* kClosing = ", where a gate that has its verdict closes";
  if (facts.until_verdict) {
    return "a look after every second block from " + std::to_string(facts.looks.front()) + " to " +
           std::to_string(facts.max_blocks) + kClosing;
  }
  const bool launches = facts.launches > 0;
  const int end = launches ? facts.launches : facts.max_blocks;
  std::string looks;
  for (const int look : launches ? CampaignFacts{}.looks : facts.looks) {
    if (look > end) break;
    looks += (looks.empty() ? "" : look == end ? " and " : ", ") + std::to_string(look);
  }
  return "looks after " + looks + (launches ? " launches" : " blocks") + kClosing;
}

std::string plan_text(const Plan& plan, std::optional<Millis> assumed_step) {
  if (plan.facts.commands) return command_plan_text(plan, assumed_step);
  std::string text = head(plan) + arms_section(plan) + sweep_section(plan) + gates_section(plan) +
                     window_section(plan) + blocks_section(plan) +
                     trace_section(plan.trace, plan.facts) + loaders_section(plan) +
                     cost_section(plan, assumed_step);
  for (const std::string& note : plan.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace traceml
