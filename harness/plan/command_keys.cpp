#include "harness/plan/command_keys.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <regex>
#include <utility>

#include "harness/plan/make_config_key.h"

namespace traceml {

namespace {

constexpr Millis kHour{3600000};

constexpr std::array<std::string_view, 5> kNumberKeys = {
    "measure.regex", "measure.json", "measure.final_summary", "measure.steps_csv", "measure.wall"};

constexpr std::array<std::string_view, 8> kOtherKeys = {
    "command",           "working_directory",      "environment",  "measure.warmup_launches",
    "measure.larger_is", "measure.launch_timeout", "measure.unit", "exit_codes"};

// A line that `check` accepts; empty: not given.
template <class Check>
ValueForm<std::string> checked_line(const std::string& form, Check check) {
  ValueForm<std::string> made = line_form();
  made.form = form;
  made.read = [inner = made.read, form, check](const std::string& text) -> Reading<std::string> {
    const Reading<std::string> line = inner(text);
    if (!line.value) return {std::nullopt, "is " + shown(text) + "; allowed: " + form};
    if (line.value->empty()) return line;
    if (const auto fault = check(*line.value)) return {std::nullopt, *fault};
    return line;
  };
  return made;
}

std::optional<std::string> regex_fault(const std::string& text) {
  try {
    const std::regex regex(text);
    if (regex.mark_count() == 1) return std::nullopt;
    return "is " + shown(text) + " with " + std::to_string(regex.mark_count()) +
           " groups; exactly one group (...) holds the number, (?:...) groups otherwise";
  } catch (const std::regex_error&) {
    return "is " + shown(text) + ", which is no regular expression (ECMAScript); write it in " +
           "single quotes, as 'step_ms: ([0-9.]+)'";
  }
}

std::optional<std::string> json_fault(const std::string& text) {
  const FilePart named = file_part_of(text);
  if (!named.file.empty() && named.part.starts_with("/")) return std::nullopt;
  return "is " + shown(text) + "; write FILE#/path/to/number, as result.json#/step/mean_ms";
}

std::optional<std::string> steps_csv_fault(const std::string& text) {
  const FilePart named = file_part_of(text);
  if (!named.file.empty() && !named.part.empty()) return std::nullopt;
  return "is " + shown(text) + "; write FILE#column, as steps.csv#step_ms";
}

std::optional<std::string> final_summary_fault(const std::string& text) {
  const FilePart named = file_part_of(text);
  const bool known = named.part.empty() || named.part == "host" || named.part == "device";
  if (!named.file.empty() && known && !text.ends_with('#')) return std::nullopt;
  return "is " + shown(text) + "; write FILE or FILE#host for the host clock, FILE#device for " +
         "the device's";
}

bool is_unit(const std::string& text) {
  return !text.empty() && text.size() <= 16 && text != "auto" &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '/' || c == '_' || c == '.';
         });
}

ValueForm<std::string> unit_form() {
  ValueForm<std::string> made;
  made.form = "up to 16 of A-Z a-z 0-9 / _ ., as s, ms or images/s";
  made.free_text = true;
  made.read = [form = made.form](const std::string& text) -> Reading<std::string> {
    if (!is_unit(text)) return {std::nullopt, "is " + shown(text) + "; allowed: " + form};
    return {text, ""};
  };
  made.print = [](const std::string& value) { return value; };
  return made;
}

bool is_assignment(const std::string& text) {
  const std::string name = text.substr(0, text.find('='));
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return name.size() < text.size() && !name.empty() &&
         std::all_of(name.begin(), name.end(), plain) && !(name[0] >= '0' && name[0] <= '9');
}

ValueForm<std::vector<std::string>> assignments_form() {
  ValueForm<std::vector<std::string>> made = words_form();
  made.form = "list of NAME=value";
  made.read = [inner = made.read,
               form = made.form](const std::string& text) -> Reading<std::vector<std::string>> {
    Reading<std::vector<std::string>> words = inner(text);
    if (!words.value) return words;
    for (const std::string& word : *words.value) {
      if (is_assignment(word)) continue;
      return {std::nullopt, "holds " + shown(word) + "; allowed: " + form};
    }
    return words;
  };
  return made;
}

bool is_exit_code(const std::string& text) {
  const bool digits = !text.empty() && text.size() <= 3 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  return digits && (text == "0" || text.front() != '0') && std::stoi(text) <= 255;
}

ValueForm<std::vector<std::string>> exit_codes_form() {
  ValueForm<std::vector<std::string>> made = words_form();
  made.form = "list of exit codes, 0 to 255, as [0, 10]";
  made.read = [inner = made.read,
               form = made.form](const std::string& text) -> Reading<std::vector<std::string>> {
    Reading<std::vector<std::string>> words = inner(text);
    if (!words.value || words.value->empty()) {
      return {std::nullopt, "is " + shown(text) + "; allowed: " + form};
    }
    for (const std::string& word : *words.value) {
      if (!is_exit_code(word)) return {std::nullopt, "holds " + shown(word) + "; allowed: " + form};
    }
    return words;
  };
  made.print = [](const std::vector<std::string>& codes) {
    std::string list;
    for (const std::string& code : codes) list += (list.empty() ? "" : ", ") + code;
    return "[" + list + "]";
  };
  return made;
}

template <class Access>
ConfigKey make_words_key(const char* path, const ValueForm<std::vector<std::string>>& form,
                         const char* help, Access access) {
  ConfigKey key = make_config_key(path, KeyScope::kArm, form, help, access);
  key.list = true;
  key.words = true;
  return key;
}

std::vector<ConfigKey> number_keys() {
  using enum KeyScope;
  const auto yes = choice_form<bool>({{"true", true}, {"false", false}}, {});
  return {
      make_config_key(
          "measure.regex", kArm,
          checked_line("regular expression (ECMAScript) with one group", regex_fault),
          "command: last match in a line of its output, else of its errors",
          [](auto& c) -> auto& { return c.command.regex; }),
      make_config_key(
          "measure.json", kArm, checked_line("FILE#/path/to/number", json_fault),
          "command: a number in a JSON file that the launch writes",
          [](auto& c) -> auto& { return c.command.json; }),
      make_config_key(
          "measure.final_summary", kArm,
          checked_line("FILE, FILE#host or FILE#device", final_summary_fault),
          "command: step time of a final_summary.json, largest over ranks, ms",
          [](auto& c) -> auto& { return c.command.final_summary; }),
      make_config_key(
          "measure.steps_csv", kArm, checked_line("FILE#column", steps_csv_fault),
          "command: mean of a column of a CSV file with one row a step",
          [](auto& c) -> auto& { return c.command.steps_csv; }),
      make_config_key(
          "measure.wall", kArm, yes, "command: the launch's time from start to end, s",
          [](auto& c) -> auto& { return c.command.wall; }),
  };
}

}  // namespace

std::vector<ConfigKey> command_measure_keys() {
  using enum KeyScope;
  const auto larger =
      choice_form<LargerIs>({{"worse", LargerIs::kWorse}, {"better", LargerIs::kBetter}}, {});
  std::vector<ConfigKey> keys = number_keys();
  keys.push_back(make_config_key(
      "measure.unit", kRun, optional_form("auto", unit_form()),
      "command: of the number; auto: s for the wall time, else ms",
      [](auto& c) -> auto& { return c.measure.unit; }));
  keys.push_back(make_config_key(
      "measure.larger_is", kRun, larger, "command: better for a throughput",
      [](auto& c) -> auto& { return c.measure.larger_is; }));
  keys.push_back(make_config_key(
      "measure.warmup_launches", kRun, integer_form(0, 100),
      "command: launches of each arm before the first block, not judged",
      [](auto& c) -> auto& { return c.measure.warmup_launches; }));
  keys.push_back(make_config_key(
      "measure.launch_timeout", kRun, seconds_form(Millis(100), 168 * kHour),
      "command: a launch that lasts longer is ended, and the run with it",
      [](auto& c) -> auto& { return c.measure.launch_timeout; }));
  return keys;
}

std::vector<ConfigKey> command_keys() {
  return {
      make_words_key(
          "command", words_form(),
          "program and arguments; {launch_dir}, {launch}, {port} are replaced",
          [](auto& c) -> auto& { return c.command.words; }),
      make_config_key(
          "working_directory", KeyScope::kArm, line_form(),
          "command: where it runs; a relative one starts at the config file",
          [](auto& c) -> auto& { return c.command.working_directory; }),
      make_words_key(
          "environment", assignments_form(), "command: added to its environment",
          [](auto& c) -> auto& { return c.command.environment; }),
      make_words_key(
          "exit_codes", exit_codes_form(), "command: those of a launch that counts",
          [](auto& c) -> auto& { return c.command.exit_codes; }),
  };
}

bool is_number_key(std::string_view path) {
  return std::find(kNumberKeys.begin(), kNumberKeys.end(), path) != kNumberKeys.end();
}

bool has_own_number(const ArmConfig& arm) {
  return std::any_of(arm.overridden.begin(), arm.overridden.end(), is_number_key);
}

void drop_numbers(CommandConfig* command) {
  command->regex.clear();
  command->json.clear();
  command->final_summary.clear();
  command->steps_csv.clear();
  command->wall = false;
}

std::vector<std::string> numbers_of(const CommandConfig& command) {
  std::vector<std::string> given;
  const std::array<bool, kNumberKeys.size()> is_given = {
      !command.regex.empty(), !command.json.empty(), !command.final_summary.empty(),
      !command.steps_csv.empty(), command.wall};
  for (std::size_t i = 0; i < kNumberKeys.size(); ++i) {
    if (is_given[i]) given.emplace_back(kNumberKeys[i]);
  }
  return given;
}

bool is_command_key(std::string_view path) {
  return is_number_key(path) ||
         std::find(kOtherKeys.begin(), kOtherKeys.end(), path) != kOtherKeys.end();
}

FilePart file_part_of(const std::string& text) {
  const std::size_t hash = text.rfind('#');
  if (hash == std::string::npos) return {text, ""};
  return {text.substr(0, hash), text.substr(hash + 1)};
}

}  // namespace traceml
