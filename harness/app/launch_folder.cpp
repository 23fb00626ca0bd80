#include "harness/app/launch_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/app/lost_launches.h"
#include "harness/codec/config_file.h"
#include "harness/codec/gate_figures.h"
#include "harness/core/error.h"
#include "harness/runner/launcher.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

std::string launches_in(const std::string& out) {
  return out + "/launches";
}

std::string info_file(const std::string& dir) {
  return dir + "/raw/run_info.json";
}

// A launch that finished no window leaves its log alone.
std::vector<int> begun_launches(const std::string& out) {
  std::set<int> numbers;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(launches_in(out), ignored)) {
    const auto number = launch_of_folder(entry.path().stem().string());
    const std::string ending = entry.path().extension().string();
    if (number && (ending.empty() || ending == ".log" || ending == ".failure")) {
      numbers.insert(*number);
    }
  }
  return {numbers.begin(), numbers.end()};
}

// What launch `number` left, of which `last` is the highest number that was begun.
std::optional<RunInfo> read_launch(const std::string& out, int number, int last,
                                   bool accept_edited) {
  const std::string dir = dir_of_launch(out, number);
  if (number == last) return read_if_finished(dir, accept_edited);
  constexpr const char* kWhatToDo = "put it back, or measure anew into another --out";
  if (!fs::is_directory(dir)) {
    throw RunError(fmt::format("launch {} is missing in {}, which holds launch {}: {}", number,
                               launches_in(out), last, kWhatToDo));
  }
  RunInfo info = read_run_info(info_file(dir), accept_edited);
  if (ended_early(info)) {
    throw RunError(
        fmt::format("{} says that launch {} did not finish, though launch {} was begun "
                    "after it: {}",
                    info_file(dir), number, last, kWhatToDo));
  }
  return info;
}

// Copies of a launch are no launches.
void require_own_launch(const std::string& out, const FinishedLaunch& launch,
                        std::map<RunId, int>* numbers) {
  const std::string file = info_file(dir_of_launch(out, launch.number));
  const int own = read_config_text(launch.info.config_text, file, {}).measure.launch;
  if (own != launch.number) {
    throw RunError(
        fmt::format("{} is of launch {}, not of launch {}: a copied or renamed launch "
                    "counts for nothing",
                    file, own, launch.number));
  }
  const auto [found, is_new] = numbers->emplace(launch.info.run, launch.number);
  if (!is_new) {
    throw RunError(
        fmt::format("launches {} and {} in {} are one run ({}): a copied launch counts "
                    "for nothing",
                    found->second, launch.number, launches_in(out), text_of(launch.info.run)));
  }
}

// Without what tells the launches of one campaign apart.
std::string config_of_campaign(const RunInfo& info) {
  Config config = read_config_text(info.config_text, "config", {});
  config.measure.launch = 0;
  config.measure.launches = MeasureConfig{}.launches;
  return write_config(config);
}

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" -");
  return first == std::string::npos ? "" : line.substr(first);
}

// "'steps: 16' there and 'steps: 8' here"; empty: equal.
std::string first_difference(const std::string& there, const std::string& here) {
  std::istringstream lines_there(there), lines_here(here);
  std::string line_there, line_here;
  while (true) {
    const bool more_there = static_cast<bool>(std::getline(lines_there, line_there));
    const bool more_here = static_cast<bool>(std::getline(lines_here, line_here));
    if (!more_there && !more_here) return "";
    if (more_there && more_here && line_there == line_here) continue;
    return fmt::format("'{}' there and '{}' here", more_there ? trimmed(line_there) : "",
                       more_here ? trimmed(line_here) : "");
  }
}

}  // namespace

std::optional<RunInfo> read_if_finished(const std::string& dir, bool accept_edited) {
  try {
    RunInfo info = read_run_info(info_file(dir), true);
    if (ended_early(info)) return std::nullopt;
    if (accept_edited) return info;
  } catch (const Error&) {
    return std::nullopt;
  }
  return read_run_info(info_file(dir), false);
}

std::string fact_of(const RunInfo& info, const std::string& name) {
  const auto found = info.environment.facts.find(name);
  return found == info.environment.facts.end() ? "" : found->second;
}

bool is_launch_folder(const std::string& dir) {
  return fs::is_directory(launches_in(dir)) && !fs::exists(fs::path(dir) / "raw");
}

std::string dir_of_launch(const std::string& out, int number) {
  return launches_in(out) + "/" + folder_of_launch(number);
}

LaunchFolderLock::LaunchFolderLock(const std::string& out, std::chrono::seconds patience,
                                   const std::string& inside) {
  const std::string file = out + "/" + inside + "/lock";
  descriptor_ = ::open(file.c_str(), O_CREAT | O_RDWR, 0666);  // inherited on purpose
  if (descriptor_ < 0) {
    throw RunError(fmt::format("cannot make {}: {}", file, std::generic_category().message(errno)));
  }
  const auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= until) {
      ::close(descriptor_);
      throw UsageError(fmt::format(
          "another traceml-bench is at work in {}; wait for it, or choose another --out", out));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

LaunchFolderLock::~LaunchFolderLock() {
  ::close(descriptor_);
}

std::vector<FinishedLaunch> finished_launches(const std::string& out, bool accept_edited) {
  const std::vector<int> begun = begun_launches(out);
  std::vector<FinishedLaunch> finished;
  std::map<RunId, int> numbers;
  const int last = begun.empty() ? 0 : begun.back();
  for (int number = 1; number <= last; ++number) {
    std::optional<RunInfo> info = read_launch(out, number, last, accept_edited);
    if (!info) break;  // the last one
    finished.push_back({number, std::move(*info)});
    require_own_launch(out, finished.back(), &numbers);
  }
  return finished;
}

std::vector<std::string> set_unfinished_aside(const std::string& out) {
  const std::size_t finished = finished_launches(out, false).size();
  std::vector<std::string> names;
  for (const int number : begun_launches(out)) {
    if (number <= static_cast<int>(finished)) continue;
    names.push_back(set_launch_aside(dir_of_launch(out, number)));
  }
  return names;
}

void require_same_campaign(const std::string& out, const RunInfo& there, const RunInfo& here) {
  const auto refuse = [&](const std::string& what, const std::string& difference) {
    throw UsageError(fmt::format("{} holds launches of another {}: {}; choose another --out", out,
                                 what, difference));
  };
  const std::string config = first_difference(config_of_campaign(there), config_of_campaign(here));
  if (!config.empty()) refuse("config", config);
  if (there.world_size != here.world_size) {
    refuse("number of ranks",
           fmt::format("{} there and {} here", there.world_size, here.world_size));
  }
  for (const char* name : {"traceml_bench", "build_commit", "compiler", "build_type"}) {
    if (fact_of(there, name) == fact_of(here, name)) continue;
    refuse("build", fmt::format("{} is {} there and {} here", name, fact_of(there, name),
                                fact_of(here, name)));
  }
}

}  // namespace traceml
