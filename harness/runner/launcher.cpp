#include "harness/runner/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace traceml {
namespace {

constexpr std::size_t kLongestCause = 400;  // characters

void add(std::vector<std::string>* words, std::initializer_list<const char*> more) {
  words->insert(words->end(), more.begin(), more.end());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_rule(const std::string& line) {
  return line.size() > 60 && line.find_first_not_of('-') == std::string::npos;
}

// Open MPI 4's words for an exit code that is not 0 and for a signal.
bool is_banner(const std::vector<std::string>& lines) {
  constexpr std::array<std::string_view, 4> kOpenings = {
      "Primary job  terminated normally", "detected that one or more processes exited with",
      "noticed that process rank", "MPI_ABORT was invoked on rank"};
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return std::any_of(kOpenings.begin(), kOpenings.end(), [&](std::string_view opening) {
      return line.find(opening) != std::string::npos;
    });
  });
}

// What is said on one line, cut where it is long.
std::string on_one_line(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || is_rule(line)) continue;
    if (!text.empty()) text += ' ';
    text += line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
  }
  if (text.size() > kLongestCause) text = text.substr(0, kLongestCause) + "...";
  return text;
}

// The sentence of an error of ours: "traceml-bench: ...", or "rank 1...".
std::string own_sentence(const std::string& log) {
  constexpr std::string_view kOpening = "traceml-bench: ";
  constexpr std::string_view kRank = "rank ";
  for (const std::string& line : lines_of(log)) {
    if (line.starts_with(kOpening)) return line.substr(kOpening.size());
    const bool of_rank = line.starts_with(kRank) && line.size() > kRank.size() &&
                         line[kRank.size()] >= '0' && line[kRank.size()] <= '9';
    if (of_rank) return line;
  }
  return "";
}

// The message that stands between rules, as mpirun's do; else the last lines.
std::string last_words(const std::string& log) {
  constexpr std::ptrdiff_t kLines = 6;
  const std::vector<std::string> lines = lines_of(without_banners(log));
  const auto end = std::find_if(lines.rbegin(), lines.rend(), is_rule);
  const auto begin = end == lines.rend() ? end : std::find_if(end + 1, lines.rend(), is_rule);
  if (begin != lines.rend()) return on_one_line({begin.base(), end.base()});
  return on_one_line({lines.end() - std::min(std::ssize(lines), kLines), lines.end()});
}

std::string with_words(const std::string& end, const std::string& words) {
  return words.empty() ? end : end + ": " + words;
}

}  // namespace

std::string_view name_of(Starter starter) {
  switch (starter) {
    case Starter::kMpirun:
      return "mpirun";
    case Starter::kSrun:
      return "srun";
    case Starter::kDirect:
      break;
  }
  return "traceml-bench";
}

std::vector<std::string> command_of_run(const LaunchSetup& setup, const std::string& dir) {
  std::vector<std::string> words;
  const std::string ranks = std::to_string(setup.ranks);
  if (setup.starter == Starter::kMpirun) {
    add(&words, {"mpirun", "--bind-to", "none"});
    if (setup.as_root) add(&words, {"--allow-run-as-root"});
    if (setup.ranks > setup.cores) add(&words, {"--oversubscribe"});
    if (setup.in_container) add(&words, {"--mca", "btl_vader_single_copy_mechanism", "none"});
  } else if (setup.starter == Starter::kSrun) {
    add(&words, {"srun", "--cpu-bind=none", "--kill-on-bad-exit=1"});
  }
  if (setup.starter != Starter::kDirect) {
    words.insert(words.end(), setup.starter_arguments.begin(), setup.starter_arguments.end());
    add(&words, {"-n", ranks.c_str()});
  }
  add(&words, {setup.binary.c_str(), "run", setup.config.c_str(), "--out", dir.c_str()});
  for (const std::string& text : setup.overrides) add(&words, {"--set", text.c_str()});
  return words;
}

std::vector<std::string> command_of_launch(const LaunchSetup& setup, int number,
                                           const std::string& dir) {
  std::vector<std::string> words = command_of_run(setup, dir);
  words.insert(words.end(), {"--set", fmt::format("measure.launches={}", setup.launches), "--set",
                             fmt::format("measure.launch={}", number)});
  return words;
}

std::string folder_of_launch(int number) {
  return fmt::format("{:04}", number);
}

std::optional<int> launch_of_folder(std::string_view name) {
  if (name.size() != 4 || name.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  const int number = std::stoi(std::string(name));
  return number > 0 ? std::optional(number) : std::nullopt;
}

std::string without_banners(const std::string& log) {
  const std::vector<std::string> lines = lines_of(log);
  std::string kept;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto from = lines.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = is_rule(*from) ? std::find_if(from + 1, lines.end(), is_rule) : lines.end();
    if (end != lines.end() && is_banner({from, end})) {
      i = static_cast<std::size_t>(end - lines.begin());
      continue;
    }
    kept += *from + "\n";
  }
  return kept;
}

std::optional<LaunchFailure> failure_of_launch(const ProcessRequest& request,
                                               const ProcessResult& result, Starter starter) {
  if (result.end != ProcessEnd::kExited) {
    return LaunchFailure{ExitCode::kRunFailed,
                         std::string(name_of(starter)) + " " + describe_end(request, result)};
  }
  const int code = result.exit_code;
  if (code == value_of(ExitCode::kPass) || code == value_of(ExitCode::kRegression) ||
      code == value_of(ExitCode::kInconclusive)) {
    return std::nullopt;
  }
  const std::string own = own_sentence(result.output_tail);
  if (code == value_of(ExitCode::kUsage)) {
    return LaunchFailure{ExitCode::kUsage, own.empty() ? last_words(result.output_tail) : own};
  }
  if (!own.empty()) return LaunchFailure{ExitCode::kRunFailed, own};
  if (code == value_of(ExitCode::kRunFailed)) {
    return LaunchFailure{ExitCode::kRunFailed, with_words("the run failed (exit code 4)",
                                                          last_words(result.output_tail))};
  }
  if (code > 128) {
    ProcessResult killed;
    killed.end = ProcessEnd::kKilled;
    killed.signal = code - 128;
    return LaunchFailure{ExitCode::kRunFailed, "a rank " + describe_end(request, killed)};
  }
  return LaunchFailure{ExitCode::kRunFailed, with_words(fmt::format("{} {}", name_of(starter),
                                                                    describe_end(request, result)),
                                                        last_words(result.output_tail))};
}

}  // namespace traceml
