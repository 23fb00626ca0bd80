#pragma once
// The keys of arms that are commands, and how their values are written.

#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/config.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/value_forms.h"

namespace traceml {

inline constexpr std::size_t kMaxCommandWords = 1024;

std::vector<ConfigKey> command_keys();          // command, working_directory, environment, ...
std::vector<ConfigKey> command_measure_keys();  // measure.regex, measure.wall, measure.unit, ...

// "measure.regex", "measure.json", ...: says where a command's number is. One arm has one.
bool is_number_key(std::string_view path);
bool has_own_number(const ArmConfig& arm);
void drop_numbers(CommandConfig* command);

// The number keys that are given, as "measure.regex".
std::vector<std::string> numbers_of(const CommandConfig& command);

// Means nothing to an arm that is no command.
bool is_command_key(std::string_view path);

// `[a, "b c"]`: items are any text in double quotes, escaped as JSON has it, or bare words.
ValueForm<std::vector<std::string>> words_form();

// The text of such an item.
std::string in_double_quotes(const std::string& text);

// "a.json#/b" is {"a.json", "/b"}: what stands before the last '#', and after it.
struct FilePart {
  std::string file;
  std::string part;  // empty: none given
};
FilePart file_part_of(const std::string& text);

}  // namespace traceml
