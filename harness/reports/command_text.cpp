#include "harness/reports/command_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/plan/command_keys.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/config_keys.h"
#include "harness/reports/figures.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

// "measure.regex 'step ([0-9.]+) ms'", "the wall time".
std::string source_of(const Plan& plan, const ArmConfig& arm) {
  const std::string key = numbers_of(arm.command).front();
  if (key == "measure.wall") return "wall time of a launch";
  return fmt::format("{} '{}'", key, text_of(seen_by(plan.config, arm), key));
}

std::string number_line(const Plan& plan) {
  const CommandFacts& facts = *plan.facts.commands;
  std::vector<std::string> sources;
  for (const ArmConfig& arm : plan.config.arms) sources.push_back(source_of(plan, arm));
  const bool same = std::all_of(sources.begin(), sources.end(),
                                [&](const std::string& one) { return one == sources.front(); });
  if (!same) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i] = fmt::format("{}: {}", plan.config.arms[i].name, sources[i]);
    }
  }
  return fmt::format("{}, in {}; larger is {}", same ? sources.front() : joined(sources, "; "),
                     facts.unit, facts.larger_is_better ? "better" : "worse");
}

std::string launches_line(const ReportInput& input) {
  const MeasureConfig& measure = input.plan.config.measure;
  return fmt::format(
      "{} block{} of at most {}, each launches every arm once; {} of warm-up; {} void; seed {}; "
      "time limit of a launch {}",
      input.summary.blocks, input.summary.blocks == 1 ? "" : "s", input.plan.facts.max_blocks,
      measure.warmup_launches, input.summary.commands ? input.summary.commands->blocks_voided : 0,
      input.plan.facts.seed, text_of(input.plan.config, "measure.launch_timeout"));
}

// Enough digits to tell four significant ones of the smallest number.
int decimals_of(const CommandSummary& commands) {
  double least = 0;
  for (const CommandFigures& arm : commands.arms) {
    if (arm.min) least = least == 0 ? *arm.min : std::min(least, *arm.min);
  }
  if (least <= 0) return 2;
  return std::clamp(3 - static_cast<int>(std::floor(std::log10(least))), 0, 9);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> command_scenario(const ReportInput& input) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const ArmConfig& arm : input.plan.config.arms) {
    std::string text = fmt::format("{}: {}", arm.name, command_line_of(arm.command));
    if (!arm.command.working_directory.empty()) text += " in " + arm.command.working_directory;
    if (!arm.command.environment.empty()) {
      text += " with " + joined(arm.command.environment, " ");
    }
    lines.emplace_back("command", text);
  }
  lines.emplace_back("number", number_line(input.plan));
  lines.emplace_back("plan", launches_line(input));
  const std::string machine = short_form(input.info.environment);
  if (!machine.empty()) lines.emplace_back("machine", machine);
  return lines;
}

Table command_table(const ReportInput& input) {
  Table table;
  table.title = "Launches";
  table.caption = fmt::format("the number of each launch in {}, over the launches of valid blocks.",
                              input.plan.facts.commands->unit);
  table.columns = {{"arm", true, 0, true},
                   {"launches"},
                   {"mean"},
                   {"median"},
                   {"min"},
                   {"max"},
                   {"in void\nblocks", false, 1, false}};
  const CommandSummary& commands = *input.summary.commands;
  const int decimals = decimals_of(commands);
  const auto figure = [&](const std::optional<double>& value) {
    return value ? fixed(*value, decimals) : std::string(kNull);
  };
  for (std::size_t i = 0; i < commands.arms.size(); ++i) {
    const CommandFigures& arm = commands.arms[i];
    table.rows.push_back({input.plan.facts.arms[i].name, std::to_string(arm.launches),
                          figure(arm.mean), figure(arm.median), figure(arm.min), figure(arm.max),
                          std::to_string(arm.voided)});
  }
  return table;
}

std::string judged_number(const CommandFacts& facts) {
  return fmt::format(fmt::runtime(facts.larger_is_better ? "(1 / {})" : "({})"), facts.unit);
}

std::string measured_units(const CampaignFacts& facts) {
  return facts.commands ? "launches" : "windows";
}

std::string command_basis(const CampaignFacts& facts) {
  return fmt::format(
      "Judged: {} of whole launches, as ratios within blocks. Each verdict is wrong with "
      "probability {:.4g} % at most.",
      facts.commands->larger_is_better
          ? fmt::format("1 / number ({}), the time of a unit of work,", facts.commands->unit)
          : fmt::format("the number ({})", facts.commands->unit),
      facts.alpha * 100);
}

}  // namespace traceml
