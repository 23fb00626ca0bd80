#include "harness/plan/command_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/command_keys.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/nearest.h"

namespace traceml {

namespace {

bool is_command(const ArmConfig& arm) {
  return !arm.command.words.empty();
}

// Keys that training and commands share; of equal arms use_equal_arms() says why not.
bool is_shared_key(std::string_view path) {
  constexpr std::array<std::string_view, 8> kShared = {"name",
                                                       "question",
                                                       "seed",
                                                       "require.ranks",
                                                       "measure.time_limit",
                                                       "measure.max_blocks",
                                                       "measure.until_verdict",
                                                       "measure.equal_arms"};
  return std::find(kShared.begin(), kShared.end(), path) != kShared.end();
}

[[noreturn]] void refuse(const Config& config, const ArmConfig& arm, const std::string& key,
                         const std::string& what) {
  throw UsageError(opening_for_arm(config, arm, key) + what);
}

// Keys at their default are let pass: the canonical form of a config holds them all.
void refuse_foreign_keys(const Config& config, const ArmConfig& arm, bool commands) {
  const Config view = seen_by(config, arm);
  const Config defaults;
  for (const ConfigKey& key : config_keys()) {
    const bool foreign =
        is_command_key(key.path) ? !commands : commands && !is_shared_key(key.path);
    if (!foreign || key.get(view) == key.get(defaults)) continue;
    refuse(config, arm, key.path,
           commands ? key.path + " means nothing to a command; leave it out"
                    : key.path + " belongs to an arm that is a command, and the arm " +
                          shown(arm.name) + " has none; add command: [program, argument]");
  }
}

void check_number(const Config& config, const ArmConfig& arm) {
  const std::vector<std::string> given = numbers_of(arm.command);
  if (given.empty()) {
    throw UsageError(opening_for(config, "arms." + arm.name) + "the arm " + shown(arm.name) +
                     " is a command, and nothing says where its number is; add measure: {regex: "
                     "...}, {json: ...}, {final_summary: ...}, {steps_csv: ...} or {wall: true}");
  }
  if (given.size() > 1) {
    refuse(config, arm, given[1],
           "the arm " + shown(arm.name) + " takes its number from " + given[0] + " and from " +
               given[1] + "; keep one");
  }
}

// What the form of the number says of its unit; nullopt: anything.
std::optional<std::string> fixed_unit_of(const CommandConfig& command) {
  if (command.wall) return "s";
  if (!command.final_summary.empty()) return "ms";
  return std::nullopt;
}

void check_unit(const Config& config, const ArmConfig& arm) {
  const auto fixed = fixed_unit_of(arm.command);
  if (!fixed) return;
  const std::string source = numbers_of(arm.command).front();
  if (config.measure.unit && *config.measure.unit != *fixed) {
    refuse(config, arm, "measure.unit",
           "measure.unit is " + shown(*config.measure.unit) + ", but " + source + " of the arm " +
               shown(arm.name) + " gives " + *fixed);
  }
  if (config.measure.larger_is == LargerIs::kBetter) {
    refuse(config, arm, "measure.larger_is",
           "measure.larger_is is better, but " + source + " of the arm " + shown(arm.name) +
               " gives a time");
  }
}

void check_command(const Config& config, const ArmConfig& arm) {
  if (arm.command.words.front().empty()) {
    refuse(config, arm, "command", "the program of the arm " + shown(arm.name) + " is empty");
  }
  check_number(config, arm);
  check_unit(config, arm);
  const ArmConfig& first = config.arms.front();
  if (unit_of(config, arm) != unit_of(config, first)) {
    throw UsageError(opening_for(config, "arms." + arm.name) + "the arm " + shown(arm.name) +
                     " gives " + unit_of(config, arm) + " and the arm " + shown(first.name) + " " +
                     unit_of(config, first) + "; use one unit");
  }
}

void check_gate(const GateConfig& gate) {
  if (gate.kind == GateKind::kMaxRegression) return;
  throw UsageError((gate.where.empty() ? "" : gate.where + ": ") +
                   (gate.kind == GateKind::kMinFraction
                        ? "min_fraction is held against an input-free arm, which no command is"
                        : "overhead_of judges our own instrumentation, which no command has") +
                   "; use compare, against and max_regression");
}

}  // namespace

bool runs_commands(const Config& config) {
  if (config.arms.empty()) return !config.command.words.empty();
  return is_command(config.arms.front());
}

void check_commands(const Config& config) {
  const bool commands = runs_commands(config);
  for (const ArmConfig& arm : config.arms) {
    if (is_command(arm) != commands) {
      const ArmConfig& first = config.arms.front();
      throw UsageError(opening_for(config, "arms." + arm.name) + "the arm " + shown(arm.name) +
                       (commands ? " trains" : " is a command") + " and the arm " +
                       shown(first.name) + (commands ? " is a command" : " trains") +
                       "; the arms of a run are all of one kind");
    }
    refuse_foreign_keys(config, arm, commands);
    if (commands) check_command(config, arm);
  }
}

std::string unit_of(const Config& config, const ArmConfig& arm) {
  if (const auto fixed = fixed_unit_of(arm.command)) return *fixed;
  return config.measure.unit.value_or("ms");
}

void plan_commands(Plan* plan) {
  const Config& config = plan->config;
  CampaignFacts& facts = plan->facts;
  for (const GateConfig& gate : config.gates) check_gate(gate);
  if (facts.world_size > 1) {
    throw UsageError(opening_for_arm(config, config.arms.front(), "command") +
                     "the arms are "
                     "commands, which are launched whole by one process, and this run has " +
                     std::to_string(facts.world_size) +
                     " ranks; start it without mpirun and put mpirun into the command");
  }
  facts.steps_per_window = 1;
  facts.settle_steps = 0;
  facts.warmup_steps = 0;
  facts.period = 1;
  facts.interaction_sd = 0;
  facts.commands = CommandFacts{unit_of(config, config.arms.front()),
                                config.measure.larger_is == LargerIs::kBetter};
}

std::string command_line_of(const CommandConfig& command) {
  std::string line;
  for (const std::string& word : command.words) {
    const bool plain =
        !word.empty() && word.find_first_of(" \t\n\"'\\$`&|;<>()*?[]{}#~!") == std::string::npos;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += (line.empty() ? "" : " ") + (plain ? word : quoted + "'");
  }
  return line;
}

}  // namespace traceml
