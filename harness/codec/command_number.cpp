#include "harness/codec/command_number.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <regex>
#include <string_view>
#include <vector>

#include "harness/codec/json_input.h"
#include "harness/codec/metered_char.h"
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

// A whole text as a number, NaN and infinity included; nullopt for anything else. What no double
// holds becomes an infinity or zero: it is a number, though none that can be judged.
std::optional<double> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range)
    return std::strtod(std::string(text).c_str(), nullptr);
  if (error != std::errc()) return std::nullopt;
  return value;
}

NumberReading found(double value) {
  return {value, ""};
}

// A pattern such as (a+)+b takes 2^n looks at n characters. What one launch wrote may be looked at
// this often in all: a few seconds of work, and more than a search in square time takes for a line.
constexpr std::int64_t kFirstLooks = 200'000'000;
constexpr std::int64_t kLooksPerChar = 2000;

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
  std::int64_t looks_left = kFirstLooks;
  for_each_line(path, [&](const std::string& line) {
    looks_left += kLooksPerChar * static_cast<std::int64_t>(line.size());
    const MeteredChar begin(line.data(), &looks_left);
    const MeteredChar end(line.data() + line.size(), &looks_left);
    for (std::regex_iterator<MeteredChar> match(begin, end, regex), none; match != none; ++match) {
      last = (*match)[1].str();
    }
  });
  return last;
}

NumberReading from_output(const std::string& pattern, const CommandOutput& files) {
  const std::regex regex(pattern);
  std::string place = "standard output";
  std::optional<std::string> match;
  try {
    match = last_match(files.output, regex);
    if (!match && files.error != files.output) {
      place = "standard error";
      match = last_match(files.error, regex);
    }
  } catch (const TooManyLooks&) {
    return fault(
        fmt::format("measure.regex {} takes too many steps on a line of its {}; write it "
                    "without a repetition in a repetition",
                    shown(pattern), place));
  }
  if (!match) return fault("no line of its output matches measure.regex " + shown(pattern));
  if (const auto value = number_in(*match)) return found(*value);
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

std::string path_of(const FilePart& named, const CommandOutput& files) {
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
  if (value.is_number()) return found(value.get<double>());
  if (const auto nonfinite = bare_nonfinite(value)) return found(*nonfinite);
  return fault(fmt::format("{}#{} is {}, no number", named.file, named.part, shown(value.dump())));
}

NumberReading from_summary(const std::string& path, const FilePart& named) {
  const StoredRun run = read_stored_run(path, "");
  if (!run.void_reason.empty()) return fault(named.file + ": " + run.void_reason);
  const auto bad_loss = [](const Finding& f) { return f.reason == Reason::kNonfiniteLoss; };
  if (std::any_of(run.findings.begin(), run.findings.end(), bad_loss)) {
    return found(std::numeric_limits<double>::quiet_NaN());
  }
  if (!run.findings.empty()) return fault(named.file + ": " + run.findings.front().why);
  const auto step = named.part == "device" ? run.step.step_gpu : run.step.step_cpu;
  if (!step) {
    return fault(
        fmt::format("{} has no step time of every rank on the {} clock", named.file, named.part));
  }
  return found(*step);
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
    if (!value) {
      fault_ = fmt::format("{}:{}: {} is {}, which is no number", named_.file, line_, named_.part,
                           shown(cells[*column_]));
      return;
    }
    if (!no_time_ && !(std::isfinite(*value) && *value >= 0)) no_time_ = value;
    sum_ += *value;
    ++count_;
  }

  NumberReading result() const {
    if (!fault_.empty()) return fault(fault_);
    if (count_ == 0) return fault(fmt::format("{} has no row with {}", named_.file, named_.part));
    if (no_time_) return found(*no_time_);  // a mean would hide a negative step
    return found(sum_ / static_cast<double>(count_));
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
  std::optional<double> no_time_;  // the first cell that is no time of a step
  std::string fault_;
};

NumberReading from_csv(const std::string& path, const FilePart& named) {
  ColumnMean mean(named);
  for_each_line(path, [&](const std::string& line) { mean.see(line); });
  return mean.result();
}

}  // namespace

std::optional<FileStamp> stamp_before(const CommandConfig& command, const CommandOutput& files) {
  const FilePart named = named_file(command);
  if (named.file.empty()) return std::nullopt;
  return stamp_of(path_of(named, files));
}

NumberReading read_number(const CommandConfig& command, const CommandOutput& files,
                          const std::optional<FileStamp>& before, Nanos wall) {
  if (command.wall) return found(Seconds(wall).count());
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
