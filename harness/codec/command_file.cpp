#include "harness/codec/command_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>

#include "harness/codec/raw_format.h"
#include "harness/codec/raw_text.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

constexpr const char* kName = "commands.csv";
constexpr const char* kHeader =
    "launch,arm,block,order,exit_code,signal,timed_out,wall_ns,value,unit,void_reason";
constexpr std::size_t kColumns = 11;

std::string identity_of(RunId run) {
  return raw_identity(run, Rank{0}, "commands");
}

// The last field: one line, without what CSV would have to quote.
std::string bare(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    if (c == ',') c = ';';
    if (c == '"') c = '\'';
  }
  return text;
}

// The fields of one row. Errors name file, line and column.
class Row {
 public:
  Row(std::string_view line, std::string place) : place_(std::move(place)) {
    for (std::size_t comma = 0; comma != std::string_view::npos;) {
      comma = line.find(',');
      fields_.push_back(line.substr(0, comma));
      if (comma != std::string_view::npos) line.remove_prefix(comma + 1);
    }
    if (fields_.size() != kColumns) {
      throw RunError(
          fmt::format("{}: has {} fields, and a launch has {}", place_, fields_.size(), kColumns));
    }
  }

  std::string_view text(std::size_t column) const { return fields_[column]; }

  template <class T>
  T number(std::size_t column) const {
    T value{};
    const std::string_view field = fields_[column];
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) refuse(column);
    return value;
  }

  [[noreturn]] void refuse(std::size_t column) const {
    throw RunError(
        fmt::format("{}: field {} is '{}', which no launch has", place_, column + 1, text(column)));
  }

 private:
  std::string place_;
  std::vector<std::string_view> fields_;
};

CommandRecord record_of(const Row& row, const std::vector<std::string>& arm_names) {
  CommandRecord launch;
  launch.launch = row.number<std::int64_t>(0);
  const auto arm = std::find(arm_names.begin(), arm_names.end(), row.text(1));
  if (arm == arm_names.end()) row.refuse(1);
  launch.arm = {static_cast<int>(arm - arm_names.begin())};
  if (!row.text(2).empty()) launch.block = row.number<int>(2);
  launch.order = row.number<int>(3);
  launch.exit_code = row.number<int>(4);
  launch.signal = row.number<int>(5);
  launch.timed_out = row.number<int>(6) != 0;
  launch.wall = Nanos(row.number<std::int64_t>(7));
  if (!row.text(8).empty()) launch.value = row.number<double>(8);
  launch.unit = row.text(9);
  launch.void_reason = row.text(10);
  if (!launch.value && launch.void_reason.empty()) row.refuse(8);
  if (launch.block && *launch.block < 0) row.refuse(2);
  return launch;
}

}  // namespace

CommandFile::CommandFile(const std::string& dir, RunId run, std::vector<std::string> arm_names)
    : file_(dir + "/" + kName, fmt::format("{}\n{}\n", kHeader, identity_of(run))),
      arm_names_(std::move(arm_names)) {}

void CommandFile::append(const CommandRecord& launch) {
  file_.append(fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", launch.launch,
                           arm_names_.at(static_cast<std::size_t>(launch.arm.value)),
                           launch.block ? fmt::to_string(*launch.block) : "", launch.order,
                           launch.exit_code, launch.signal, launch.timed_out ? 1 : 0,
                           launch.wall.count(), launch.value ? fmt::to_string(*launch.value) : "",
                           launch.unit, bare(launch.void_reason)),
               1);
}

std::vector<CommandRecord> read_commands(const std::string& dir, RunId run,
                                         const std::vector<std::string>& arm_names,
                                         bool accept_edited, std::vector<std::string>* warnings) {
  if (!std::filesystem::exists(dir + "/" + kName)) {
    warnings->push_back(fmt::format("{} is missing: the run ended before a launch", kName));
    return {};
  }
  const RawText raw =
      read_raw_text(dir, kName, {kHeader, identity_of(run)}, accept_edited, warnings);
  std::vector<CommandRecord> launches;
  for (const RawGroup& group : raw.groups) {
    std::string_view rest = std::string_view(raw.text).substr(group.begin, group.end - group.begin);
    for (std::int64_t line = group.first_line; !rest.empty(); ++line) {
      const std::size_t end = rest.find('\n');
      launches.push_back(
          record_of(Row(rest.substr(0, end), fmt::format("{}:{}", raw.path, line)), arm_names));
      rest.remove_prefix(end + 1);
    }
  }
  return launches;
}

}  // namespace traceml
