#include "harness/app/lost_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/app/launch_folder.h"
#include "harness/codec/atomic_file.h"
#include "harness/codec/run_info.h"
#include "harness/core/error.h"
#include "harness/runner/launcher.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAside = ".unfinished-";
constexpr std::size_t kFailedAtMostOneIn = 4;

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void rename_to(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    throw RunError(fmt::format("cannot set {} aside: {}", from.string(), error.message()));
  }
}

// {3, 1} for "0003.unfinished-1"; nullopt for any other name.
std::optional<std::pair<int, int>> aside_of(const std::string& name) {
  const std::size_t at = name.find(kAside);
  if (at == std::string::npos) return std::nullopt;
  const auto number = launch_of_folder(name.substr(0, at));
  const std::string again = name.substr(at + kAside.size());
  const bool digits = !again.empty() && again.size() < 7 &&
                      again.find_first_not_of("0123456789") == std::string::npos;
  if (!number || !digits) return std::nullopt;
  return std::pair(*number, std::stoi(again));
}

bool was_stopped_from_outside(const std::string& cause) {
  return cause.find("stopped by SIG") != std::string::npos;
}

LostLaunch lost_launch(int number, const std::string& dir) {
  LostLaunch launch;
  launch.number = number;
  const std::string record = dir + ".failure";
  // Without a record the campaign ended with the launch, or before it.
  const bool recorded = fs::exists(record);
  launch.cause = recorded ? one_line(read_whole_file(record)) : sentence_left_in(dir);
  launch.timed_out = tells_of_a_limit(launch.cause);
  launch.by_itself = launch.timed_out || (recorded && !was_stopped_from_outside(launch.cause));
  if (!launch.by_itself) launch.cause = "interrupted";
  return launch;
}

// The words of mpirun and srun name machines; reports are meant to be shared.
std::string shareable_cause(const std::string& cause) {
  for (const std::string_view opening : {"mpirun ", "srun ", "the run failed"}) {
    if (cause.starts_with(opening)) return cause.substr(0, cause.find(": "));
  }
  return cause;
}

}  // namespace

std::string sentence_left_in(const std::string& dir) {
  const fs::path raw = fs::path(dir) / "raw";
  try {
    const RunInfo info = read_run_info((raw / "run_info.json").string(), true);
    if (!info.failure.empty()) return one_line(info.failure);
  } catch (const Error&) {  // torn: the ranks may have left one
  }
  std::set<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(raw, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("failure_rank_") && name.ends_with(".txt")) files.insert(entry.path());
  }
  return files.empty() ? "" : one_line(read_whole_file(files.begin()->string()));
}

bool tells_of_a_limit(const std::string& sentence) {
  constexpr std::array<std::string_view, 4> kWords = {"measure.time_limit", "measure.step_timeout",
                                                      "no progress for ", "took longer than its "};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view words) {
    return sentence.find(words) != std::string::npos;
  });
}

void record_failure(const std::string& dir, const std::string& cause) {
  write_file_atomically(dir + ".failure", one_line(cause) + "\n");
}

std::string set_launch_aside(const std::string& dir) {
  std::error_code error;
  fs::create_directories(dir, error);  // one without a finished window takes its folder back
  if (error) throw RunError(fmt::format("cannot make {}: {}", dir, error.message()));
  std::string aside;
  int again = 0;
  do {
    aside = fmt::format("{}{}{}", dir, kAside, ++again);
  } while (fs::exists(aside));
  for (const char* ending : {".log", ".failure", ""}) {
    if (fs::exists(dir + ending)) rename_to(dir + ending, aside + ending);
  }
  return fs::path(aside).filename().string();
}

std::vector<LostLaunch> lost_launches(const std::string& out, const std::string& folder) {
  const fs::path launches = fs::path(out) / folder;
  std::set<std::pair<int, int>> asides;
  std::set<int> failed;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(launches, ignored)) {
    const std::string name = entry.path().filename().string();
    if (const auto aside = aside_of(name)) asides.insert(*aside);
    const auto number = launch_of_folder(entry.path().stem().string());
    const std::string path = entry.path().string();
    // A finished launch counts, though a signal may have come to its reports and left a sentence.
    const bool left =
        number && (entry.path().extension() == ".failure" ||
                   (name == folder_of_launch(*number) && !read_if_finished(path, true) &&
                    !sentence_left_in(path).empty()));
    if (left) failed.insert(*number);
  }
  std::map<int, std::vector<LostLaunch>> by_number;
  for (const auto& [number, again] : asides) {
    const std::string dir = (launches / folder_of_launch(number)).string() + std::string(kAside);
    std::vector<LostLaunch>& lost = by_number[number];
    const std::size_t expected = lost.size() + 1;
    if (static_cast<std::size_t>(again) != expected) {
      throw RunError(
          fmt::format("{}{} is missing, though a later one of that launch is there; "
                      "launches that did not finish count for the verdict: put it back",
                      dir, expected));
    }
    lost.push_back(lost_launch(number, dir + std::to_string(again)));
  }
  for (const int number : failed) {
    by_number[number].push_back(
        lost_launch(number, (launches / folder_of_launch(number)).string()));
  }
  std::vector<LostLaunch> all;
  for (const auto& [number, lost] : by_number) all.insert(all.end(), lost.begin(), lost.end());
  return all;
}

std::optional<LostLaunch> timed_out_launch(const std::vector<LostLaunch>& lost) {
  const auto found = std::find_if(lost.begin(), lost.end(),
                                  [](const LostLaunch& launch) { return launch.timed_out; });
  return found == lost.end() ? std::nullopt : std::optional(*found);
}

std::string describe_timed_out(const LostLaunch& launch) {
  return fmt::format("launch {} was ended by a limit of time ({})", launch.number,
                     shareable_cause(launch.cause));
}

std::string describe_lost(const std::vector<LostLaunch>& lost) {
  if (lost.empty()) return "";
  std::map<std::pair<int, std::string>, int> times;
  for (const LostLaunch& launch : lost) ++times[{launch.number, shareable_cause(launch.cause)}];
  std::vector<std::string> each;
  for (const auto& [what, count] : times) {
    each.push_back(fmt::format("launch {} ({}{})", what.first, what.second,
                               count > 1 ? fmt::format(", {} times", count) : ""));
  }
  return fmt::format("{} launch{} did not finish and count{} for nothing: {}", lost.size(),
                     lost.size() == 1 ? "" : "es", lost.size() == 1 ? "s" : "",
                     fmt::join(each, "; "));
}

std::string too_many_failed(const std::vector<LostLaunch>& lost, std::size_t finished) {
  const auto failed = static_cast<std::size_t>(
      std::count_if(lost.begin(), lost.end(), [](const auto& launch) { return launch.by_itself; }));
  if (failed * kFailedAtMostOneIn <= finished) return "";
  return fmt::format(
      "{} launch{} failed and {} measured again, more than a quarter of the {} that "
      "finished: what failed may have been slow",
      failed, failed == 1 ? "" : "es", failed == 1 ? "was" : "were", finished);
}

}  // namespace traceml
