#include "harness/app/two_binaries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "harness/app/launch_setup.h"
#include "harness/app/run_commands.h"
#include "harness/codec/config_file.h"
#include "harness/core/error.h"
#include "harness/plan/command_keys.h"
#include "harness/plan/nearest.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

std::string command_of(const BinaryPair& pair, const std::string& binary) {
  LaunchSetup setup = pair.setup;
  setup.binary = binary;
  std::vector<std::string> words;
  // Always launch 1: pairs differ in the binary alone, not in the order of their windows.
  for (const std::string& word : command_of_launch(setup, 1, "{launch_dir}/run")) {
    words.push_back(in_double_quotes(word));
  }
  return fmt::format("[{}]", fmt::join(words, ", "));
}

// A name on its way into a JSON pointer (RFC 6901).
std::string pointer_part(const std::string& name) {
  std::string part;
  for (const char byte : name) {
    if (byte == '~') {
      part += "~0";
    } else if (byte == '/') {
      part += "~1";
    } else {
      part += byte;
    }
  }
  return part;
}

std::string chosen_arm(const Config& config, const std::string& wanted) {
  std::vector<std::string> names;
  for (const ArmConfig& arm : config.arms) names.push_back(arm.name);
  if (wanted.empty() && names.size() == 1) return names.front();
  if (std::find(names.begin(), names.end(), wanted) != names.end()) return wanted;
  throw UsageError(
      fmt::format("--candidate-binary judges one arm, {}; the config has {}",
                  wanted.empty() ? "named by --arm NAME" : "and " + shown(wanted) + " is none",
                  fmt::join(names, ", ")));
}

std::string program(const std::string& file) {
  std::error_code ignored;
  const fs::path path = fs::absolute(file).lexically_normal();
  if (!fs::is_regular_file(path, ignored) || ::access(path.c_str(), X_OK) != 0) {
    throw UsageError(fmt::format("--candidate-binary {} is no program that can be run", file));
  }
  return path.string();
}

}  // namespace

std::string config_of(const BinaryPair& pair) {
  const std::string number =
      "{launch_dir}/run/run.json#/arms/" + pointer_part(pair.arm) + "/step_wall_ms";
  return fmt::format(
      "name: {}\n"
      "question: {}\n"
      "measure: {{json: {}, max_blocks: {}, launch_timeout: {}s, time_limit: 168h}}\n"
      "exit_codes: [0, 10, 11]\n"
      "arms:\n"
      "  baseline: {{command: {}}}\n"
      "  candidate: {{command: {}}}\n"
      "gates:\n"
      "  - {{compare: candidate, against: baseline, max_regression: {}}}\n",
      pair.name,
      in_double_quotes(fmt::format("Is {} slower with {} than with {}?", pair.arm, pair.candidate,
                                   pair.setup.binary)),
      in_double_quotes(number), pair.setup.launches, pair.launch_timeout.count(),
      command_of(pair, pair.setup.binary), command_of(pair, pair.candidate), pair.margin);
}

int judge_binaries(const LaunchArguments& arguments, const Plan& plan) {
  if (!arguments.scratch.empty()) {
    throw UsageError("--scratch does not go with --candidate-binary; leave one of them out");
  }
  BinaryPair pair;
  pair.setup = setup_of(arguments, plan.config.measure.launches);
  pair.setup.config = fs::absolute(arguments.config).lexically_normal().string();
  pair.candidate = program(arguments.candidate_binary);
  pair.name = plan.config.name;
  pair.arm = chosen_arm(plan.config, arguments.arm);
  pair.margin = arguments.max_regression;
  pair.launch_timeout = limit_of_launch(plan.config.measure);
  RunArguments run;
  run.config = arguments.config;
  run.out = arguments.out;
  run.quiet = arguments.quiet;
  return run_commands(run, read_config_text(config_of(pair), arguments.config, {}));
}

}  // namespace traceml
