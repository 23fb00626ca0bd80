#include "harness/plan/command_keys.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/figures.h"
#include "harness/plan/plan_text.h"

namespace traceml {

namespace {

const std::string& name_of(const Plan& plan, ArmIndex arm) {
  return plan.facts.arms[static_cast<std::size_t>(arm.value)].name;
}

std::string arms_section(const Plan& plan) {
  std::string text = "arms, each a command\n";
  for (const ArmConfig& arm : plan.config.arms) {
    const std::string source = numbers_of(arm.command).front();
    text += "  " + arm.name + ": " + command_line_of(arm.command) + "\n";
    if (!arm.command.working_directory.empty()) {
      text += "    in " + arm.command.working_directory + "\n";
    }
    for (const std::string& one : arm.command.environment) text += "    with " + one + "\n";
    if (arm.command.exit_codes != CommandConfig{}.exit_codes) {
      text +=
          "    counts with exit codes " + text_of(seen_by(plan.config, arm), "exit_codes") + "\n";
    }
    text += "    number: " + source + " " + text_of(seen_by(plan.config, arm), source) + ", " +
            plan.facts.commands->unit + "\n";
  }
  return text + "\n";
}

std::string gates_section(const Plan& plan) {
  if (plan.facts.gates.empty()) return "no gates: the run will end with NO GATES, exit code 0\n\n";
  TextTable table({"gate", "passes with", "no verdict counts as"});
  for (const GateSpec& gate : plan.facts.gates) {
    const std::string cost = plan.facts.commands->larger_is_better
                                 ? plan.facts.commands->unit + " proven to take less than +"
                                 : "number proven below +";
    table.add({gate.name,
               cost + percent_figure(gate.delta) +
                   (plan.facts.commands->larger_is_better ? " of the time of " : " of ") +
                   name_of(plan, gate.baseline),
               no_verdict_counts_as(gate)});
  }
  return table.text() + "\n";
}

std::string launches_section(const Plan& plan) {
  const CampaignFacts& facts = plan.facts;
  std::vector<ArmIndex> all;
  for (int i = 0; i < static_cast<int>(facts.arms.size()); ++i) all.push_back({i});
  TextTable table({"launch", "block", "arm"});
  std::int64_t next = 0;
  for (int round = 0; round < plan.config.measure.warmup_launches; ++round) {
    for (const ArmIndex arm : all) {
      table.add({std::to_string(next++), "warm-up", name_of(plan, arm)});
    }
  }
  for (int block = 0; block < 4; ++block) {
    for (const PlannedWindow& launch : make_block(facts, block, all, {0})) {
      table.add({std::to_string(next++), std::to_string(block), name_of(plan, launch.arm)});
    }
  }
  return table.text() + "and so on; " + looks_text(facts) + "\n\n";
}

std::string cost_section(const Plan& plan, std::optional<Millis> assumed_launch) {
  const CampaignFacts& facts = plan.facts;
  const auto arms = static_cast<std::int64_t>(facts.arms.size());
  const std::int64_t warmup = arms * plan.config.measure.warmup_launches;
  const auto duration = [&](std::int64_t launches) {
    return !assumed_launch ? std::string() : seconds_figure(Seconds(*assumed_launch * launches));
  };
  TextTable table({"launches until", "launches", assumed_launch ? "time" : ""});
  for (const int look : facts.looks) {
    if (look > facts.max_blocks) break;
    const std::int64_t launches = warmup + arms * look;
    table.add({"look at " + std::to_string(look) + " blocks", with_thousands(launches),
               duration(launches)});
  }
  std::string text = table.text() + "each launch ends at measure.launch_timeout, " +
                     seconds_figure(plan.config.measure.launch_timeout) +
                     "; the run after the block at measure.time_limit, " +
                     seconds_figure(plan.config.measure.time_limit) + "\n";
  if (!assumed_launch) {
    text += "no time estimate: give the time of a launch to assume (check --step-ms 30000)\n";
  }
  return text;
}

}  // namespace

std::string command_plan_text(const Plan& plan, std::optional<Millis> assumed_launch) {
  std::string text = "traceml-bench check   " + plan.config.name + "   commands   seed " +
                     std::to_string(plan.facts.seed) + "\n";
  if (!plan.config.question.empty()) text += plan.config.question + "\n";
  text += "\n" + arms_section(plan) + gates_section(plan) + launches_section(plan) +
          cost_section(plan, assumed_launch);
  for (const std::string& note : plan.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace traceml
