#include "harness/codec/launch_number.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <string_view>
#include <vector>

#include "harness/codec/json_input.h"
#include "harness/codec/stored_run.h"
#include "harness/core/error.h"
#include "harness/plan/command_keys.h"
#include "harness/plan/nearest.h"

namespace traceml {
namespace {

// Of a line, for std::regex goes down a level for each character.
constexpr std::size_t kMaxLine = 4096;

NumberReading fault(std::string text) {
  return {std::nullopt, std::move(text)};
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// A whole text as a number; nullopt for anything else, NaN and infinity included.
std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

NumberReading above_zero(double value, const std::string& place) {
  if (std::isfinite(value) && value > 0) return {value, ""};
  return fault(fmt::format("{} is {}, and a number above zero is needed", place, value));
}

// Calls `see` for each line, which carriage returns end, too; a longer one is cut.
void for_each_line(const std::string& path, const std::function<void(const std::string&)>& see) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(1 << 16);
  std::string line;
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      const char c = buffer[static_cast<std::size_t>(i)];
      if (c == '\n' || c == '\r') {
        see(line);
        line.clear();
      } else if (line.size() < kMaxLine) {
        line.push_back(c);
      }
    }
  }
  if (!line.empty()) see(line);
}

std::optional<std::string> last_match(const std::string& path, const std::regex& regex) {
  std::optional<std::string> last;
  for_each_line(path, [&](const std::string& line) {
    for (std::sregex_iterator match(line.begin(), line.end(), regex), end; match != end; ++match) {
      last = (*match)[1].str();
    }
  });
  return last;
}

NumberReading from_output(const std::string& pattern, const LaunchFiles& files) {
  const std::regex regex(pattern);
  std::string place = "standard output";
  std::optional<std::string> match = last_match(files.output, regex);
  if (!match && files.error != files.output) {
    place = "standard error";
    match = last_match(files.error, regex);
  }
  if (!match) return fault("no line of its output matches measure.regex " + shown(pattern));
  if (const auto value = number_in(*match)) return above_zero(*value, "the last match");
  return fault(fmt::format("the last match of measure.regex in {} is {}, which is no number", place,
                           shown(*match)));
}

// Of the key that names a file: that file and what is said after '#'.
FilePart named_file(const CommandConfig& command) {
  for (const std::string* text : {&command.json, &command.final_summary, &command.steps_csv}) {
    if (text->empty()) continue;
    FilePart named = file_part_of(*text);
    if (text == &command.final_summary && text->find('#') == std::string::npos) {
      named = {*text, "host"};
    }
    return named;
  }
  return {};
}

std::string path_of(const FilePart& named, const LaunchFiles& files) {
  return (std::filesystem::path(files.working_directory) / named.file).string();
}

FileStamp stamp_of(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec * std::int64_t{1000000000} + status.st_mtim.tv_nsec,
          status.st_ino};
}

NumberReading from_json(const std::string& path, const FilePart& named) {
  const nlohmann::json json = read_json_object(path);
  const nlohmann::json::json_pointer pointer(named.part);
  if (!json.contains(pointer)) return fault(named.file + " has nothing at " + shown(named.part));
  const nlohmann::json& value = json.at(pointer);
  const std::string place = named.file + "#" + named.part;
  if (!value.is_number()) return fault(place + " is " + shown(value.dump()) + ", no number");
  return above_zero(value.get<double>(), place);
}

NumberReading from_summary(const std::string& path, const FilePart& named) {
  const StoredRun run = read_stored_run(path, "");
  if (!run.void_reason.empty()) return fault(named.file + ": " + run.void_reason);
  if (!run.findings.empty()) return fault(named.file + ": " + run.findings.front().why);
  const auto step = named.part == "device" ? run.step.step_gpu : run.step.step_cpu;
  if (!step) {
    return fault(
        fmt::format("{} has no step time of every rank on the {} clock", named.file, named.part));
  }
  return above_zero(*step, "the step time of " + named.file);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    std::string_view cell = trimmed(line.substr(0, comma));
    if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"')) {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.push_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

// The mean of one column, fed line by line. An empty cell is null: not measured.
class ColumnMean {
 public:
  explicit ColumnMean(const FilePart& named) : named_(named) {}

  void see(const std::string& line) {
    ++line_;
    if (!fault_.empty() || line.empty() || line.starts_with('#')) return;
    const std::vector<std::string_view> cells = cells_of(line);
    if (!column_) return find_column(cells);
    if (cells.size() <= *column_ || cells[*column_].empty()) return;
    const auto value = number_in(cells[*column_]);
    if (!value || *value < 0) {
      fault_ = fmt::format("{}:{}: {} is {}, which is no time", named_.file, line_, named_.part,
                           shown(cells[*column_]));
      return;
    }
    sum_ += *value;
    ++count_;
  }

  NumberReading result() const {
    if (!fault_.empty()) return fault(fault_);
    if (count_ == 0) return fault(fmt::format("{} has no row with {}", named_.file, named_.part));
    return above_zero(sum_ / static_cast<double>(count_), "the mean of " + named_.part);
  }

 private:
  void find_column(const std::vector<std::string_view>& head) {
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (head[i] == named_.part) column_ = i;
    }
    if (!column_) {
      fault_ = fmt::format("{} has no column {}{}", named_.file, shown(named_.part),
                           did_you_mean(named_.part, {head.begin(), head.end()}));
    }
  }

  const FilePart& named_;
  std::optional<std::size_t> column_;
  std::int64_t line_ = 0;
  double sum_ = 0;
  std::int64_t count_ = 0;
  std::string fault_;
};

NumberReading from_csv(const std::string& path, const FilePart& named) {
  ColumnMean mean(named);
  for_each_line(path, [&](const std::string& line) { mean.see(line); });
  return mean.result();
}

}  // namespace

std::optional<FileStamp> stamp_before(const CommandConfig& command, const LaunchFiles& files) {
  const FilePart named = named_file(command);
  if (named.file.empty()) return std::nullopt;
  return stamp_of(path_of(named, files));
}

NumberReading read_number(const CommandConfig& command, const LaunchFiles& files,
                          const std::optional<FileStamp>& before, Nanos wall) {
  if (command.wall) return above_zero(Seconds(wall).count(), "the wall time");
  if (!command.regex.empty()) return from_output(command.regex, files);
  const FilePart named = named_file(command);
  const std::string path = path_of(named, files);
  if (before && stamp_of(path) == *before) return fault("it did not write " + named.file);
  try {
    if (!command.json.empty()) return from_json(path, named);
    if (!command.final_summary.empty()) return from_summary(path, named);
    return from_csv(path, named);
  } catch (const Error& error) {
    return fault(error.what());
  } catch (const nlohmann::json::exception&) {
    return fault(named.file + "#" + named.part + " is no JSON pointer; write it as /step/mean_ms");
  }
}

}  // namespace traceml
