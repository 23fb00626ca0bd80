#include "harness/app/command_launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "harness/app/environment_probe.h"
#include "harness/codec/command_number.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/nearest.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLinesShown = 10;

void replace_all(std::string* text, std::string_view what, const std::string& by) {
  for (std::size_t at = 0; (at = text->find(what, at)) != std::string::npos; at += by.size()) {
    text->replace(at, what.size(), by);
  }
}

// What stands for this launch in a command.
struct Placeholders {
  std::string launch_dir;
  std::int64_t launch = 0;

  std::string filled(std::string text) const {
    replace_all(&text, "{launch_dir}", launch_dir);
    replace_all(&text, "{launch}", fmt::to_string(launch));
    replace_all(&text, "{port}", fmt::to_string(port()));
    return text;
  }

  // One after the other, from a place of this process's own, below what Linux gives to clients.
  std::int64_t port() const { return 20000 + (std::int64_t{getpid()} * 101 + launch) % 12000; }
};

CommandConfig filled(CommandConfig command, const Placeholders& placeholders) {
  for (std::string& word : command.words) word = placeholders.filled(std::move(word));
  for (std::string& one : command.environment) one = placeholders.filled(std::move(one));
  for (std::string* file : {&command.json, &command.final_summary, &command.steps_csv}) {
    *file = placeholders.filled(std::move(*file));
  }
  return command;
}

// Whether a launch that ended so may have left a number.
bool counts(const CommandConfig& command, const ProcessResult& result) {
  const auto& codes = command.exit_codes;
  return result.end == ProcessEnd::kExited &&
         std::find(codes.begin(), codes.end(), std::to_string(result.exit_code)) != codes.end();
}

// Words without '=' are left out.
std::vector<std::pair<std::string, std::string>> variables_of(
    const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const std::string& one : words) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) continue;
    variables.emplace_back(one.substr(0, equals), one.substr(equals + 1));
  }
  return variables;
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// Where the program lies: a path with a slash starts at the working directory, a bare name is
// sought in PATH, which the command's own environment may set.
std::optional<std::string> find_program(const CommandConfig& command) {
  const std::string& name = command.words.front();
  if (name.find('/') != std::string::npos) {
    const fs::path path = fs::absolute(fs::path(command.working_path) / name).lexically_normal();
    return is_program(path) ? std::optional(path.string()) : std::nullopt;
  }
  const char* own = std::getenv("PATH");
  std::string folders = own == nullptr ? "/usr/bin:/bin" : own;
  for (const auto& [variable, value] : variables_of(command.environment)) {
    if (variable == "PATH") folders = value;
  }
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', at), folders.size());
    const fs::path path = fs::path(folders.substr(at, end - at)) / name;
    if (end > at && is_program(path)) return fs::absolute(path).string();
    at = end + 1;
  }
  return std::nullopt;
}

std::string last_lines_of(const ProcessResult& result) {
  std::string text = result.error_tail.empty() ? result.output_tail : result.error_tail;
  while (text.ends_with('\n')) text.pop_back();
  std::size_t at = text.size();
  for (std::size_t lines = 0; lines < kLinesShown && at != std::string::npos && at > 0; ++lines) {
    at = text.rfind('\n', at - 1);
  }
  return at == std::string::npos || at == 0 ? text : text.substr(at + 1);
}

}  // namespace

void check_programs(const Config& config) {
  for (const ArmConfig& arm : config.arms) {
    const CommandConfig& command = arm.command;
    std::error_code ignored;
    if (!fs::is_directory(command.working_path, ignored)) {
      throw UsageError(opening_for_arm(config, arm, "working_directory") +
                       "the working directory of the arm " + shown(arm.name) + ", " +
                       shown(command.working_path) + ", is no folder");
    }
    if (command.words.front().find('{') != std::string::npos || find_program(command)) continue;
    const bool is_path = command.words.front().find('/') != std::string::npos;
    throw UsageError(opening_for_arm(config, arm, "command") + "the program of the arm " +
                     shown(arm.name) + ", " + shown(command.words.front()) +
                     (is_path ? ", is no program that can be run; a relative path starts at the "
                                "working directory " +
                                    shown(command.working_path)
                              : ", is not found in PATH; install it, or write its path"));
  }
}

std::vector<std::string> distortions_of_commands(const Config& config) {
  std::vector<std::string> found;
  for (const ArmConfig& arm : config.arms) {
    auto variables = variables_of(arm.command.environment);
    for (auto& word : variables_of(arm.command.words)) variables.push_back(std::move(word));
    for (const std::string& one : distortions_in(variables)) {
      found.push_back(fmt::format("{} (arm {})", one, arm.name));
    }
  }
  return found;
}

CommandLauncher::CommandLauncher(const Plan& plan, std::string out_dir, ProcessRunner& runner)
    : plan_(plan), out_dir_(fs::absolute(out_dir).lexically_normal().string()), runner_(runner) {}

LaunchOutcome CommandLauncher::launch(const LaunchPlace& place) {
  LaunchOutcome outcome;
  outcome.log_place = fmt::format("launches/{:04}", place.launch);
  const std::string dir = out_dir_ + "/" + outcome.log_place;
  std::error_code error;
  fs::create_directories(dir, error);
  if (error) throw RunError(fmt::format("cannot make the folder {}: {}", dir, error.message()));

  const ArmConfig& arm = plan_.config.arms.at(static_cast<std::size_t>(place.arm.value));
  const CommandConfig command = filled(arm.command, {dir, place.launch});
  ProcessRequest request;
  request.argv = command.words;
  if (const auto program = find_program(command)) request.argv.front() = *program;
  request.working_directory = fs::absolute(command.working_path).lexically_normal().string();
  request.environment = variables_of(command.environment);
  request.output_file = dir + "/stdout";
  request.error_file = dir + "/stderr";
  request.time_limit = std::chrono::duration_cast<Nanos>(plan_.config.measure.launch_timeout);
  const CommandOutput files{request.output_file, request.error_file, request.working_directory};
  const auto before = stamp_before(command, files);
  const ProcessResult result = runner_.run(request);

  CommandRecord& record = outcome.record;
  record.launch = place.launch;
  record.arm = place.arm;
  record.block = place.block;
  record.order = place.order;
  record.exit_code = result.exit_code;
  record.signal = result.signal;
  record.timed_out = result.end == ProcessEnd::kTimedOut;
  record.wall = result.wall;
  record.unit = unit_of(plan_.config, arm);
  outcome.stopped = result.end == ProcessEnd::kStopped;
  if (!counts(command, result)) {
    record.void_reason = describe_end(request, result);
  } else {
    const NumberReading number = read_number(command, files, before, result.wall);
    record.value = number.value;
    if (!number.value) record.void_reason = "gave no number: " + number.fault;
  }
  last_lines_ = last_lines_of(result);
  return outcome;
}

}  // namespace traceml
