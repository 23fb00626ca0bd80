#include "harness/app/launch_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>

#include "harness/analysis/campaign.h"
#include "harness/analysis/gate_replay.h"
#include "harness/analysis/launch_pool.h"
#include "harness/codec/config_file.h"
#include "harness/codec/gate_figures.h"
#include "harness/codec/raw_files.h"
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

bool says_finished(const RunInfo& info) {
  return info.finished && info.failure.empty();
}

// A launch that was killed has a file that is torn, says "not yet", or is not there.
bool is_finished(const std::string& dir) {
  try {
    if (!says_finished(read_run_info(info_file(dir), true))) return false;
  } catch (const Error&) {
    return false;
  }
  read_run_info(info_file(dir), false);  // throws where it was edited
  return true;
}

std::vector<int> all_launches(const std::string& out) {
  std::vector<int> numbers;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(launches_in(out), ignored)) {
    const auto number = launch_of_folder(entry.path().filename().string());
    if (number && entry.is_directory(ignored)) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void rename_to(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    throw RunError(fmt::format("cannot set {} aside: {}", from.string(), error.message()));
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

std::string fact_of(const RunInfo& info, const std::string& name) {
  const auto found = info.environment.facts.find(name);
  return found == info.environment.facts.end() ? "" : found->second;
}

// Facts of the machine and the software that are not the same in all launches.
void warn_of_environments(const std::vector<RunInfo>& infos, std::vector<std::string>* warnings) {
  std::vector<std::string> differing;
  for (const auto& [name, value] : infos.front().environment.facts) {
    const bool same =
        std::all_of(infos.begin(), infos.end(), [&, &key = name](const RunInfo& info) {
          return fact_of(info, key) == fact_of(infos.front(), key);
        });
    if (!same) differing.push_back(name);
  }
  if (differing.empty()) return;
  warnings->push_back(fmt::format("launches ran in different environments: they differ in {}",
                                  fmt::join(differing, ", ")));
}

// What holds for all launches; counters are sums.
RunInfo common_info(const std::vector<RunInfo>& infos) {
  RunInfo common = infos.front();
  common.notes.clear();
  for (const std::string& note : infos.front().notes) {
    const bool in_all = std::all_of(infos.begin(), infos.end(), [&](const RunInfo& info) {
      return std::find(info.notes.begin(), info.notes.end(), note) != info.notes.end();
    });
    if (in_all) common.notes.push_back(note);
  }
  common.counters.clear();
  std::set<std::string> distortions;
  for (const RunInfo& info : infos) {
    for (const auto& [name, count] : info.counters) common.counters[name] += count;
    distortions.insert(info.distortions.begin(), info.distortions.end());
  }
  common.distortions.assign(distortions.begin(), distortions.end());
  return common;
}

std::vector<std::string> names_of(const std::vector<ArmFacts>& arms) {
  std::vector<std::string> names;
  for (const ArmFacts& arm : arms) names.push_back(arm.name);
  return names;
}

// The plan of the campaign, of which each launch was planned.
Plan plan_of_campaign(const std::vector<RunInfo>& infos, const std::string& out) {
  int launches = 0;
  for (const RunInfo& info : infos) {
    launches = std::max(launches, read_config_text(info.config_text, out, {}).measure.launches);
  }
  Config config = read_config_text(infos.front().config_text, info_file(out), {});
  if (launches <= 1) {
    throw UsageError(fmt::format("{} holds runs that are not launches of one campaign", out));
  }
  config.measure.launch = 0;
  config.measure.launches = launches;
  Plan plan = make_plan(config, infos.front().world_size);
  plan.facts = facts_over_launches(plan.facts);
  return plan;
}

}  // namespace

bool is_launch_folder(const std::string& dir) {
  return fs::is_directory(launches_in(dir)) && !fs::exists(fs::path(dir) / "raw");
}

std::string dir_of_launch(const std::string& out, int number) {
  return launches_in(out) + "/" + folder_of_launch(number);
}

LaunchFolderLock::LaunchFolderLock(const std::string& out, std::chrono::seconds patience) {
  const std::string file = launches_in(out) + "/lock";
  descriptor_ = ::open(file.c_str(), O_CREAT | O_RDWR, 0666);  // inherited on purpose
  if (descriptor_ < 0) {
    throw RunError(fmt::format("cannot make {}: {}", file, std::generic_category().message(errno)));
  }
  const auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= until) {
      ::close(descriptor_);
      throw UsageError(fmt::format(
          "another traceml-bench launch is at work in {}; wait for it, or choose another --out",
          out));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

LaunchFolderLock::~LaunchFolderLock() {
  ::close(descriptor_);
}

std::vector<int> finished_launches(const std::string& out) {
  std::vector<int> numbers = all_launches(out);
  std::erase_if(numbers, [&](int number) { return !is_finished(dir_of_launch(out, number)); });
  return numbers;
}

std::vector<std::string> set_unfinished_aside(const std::string& out) {
  std::vector<std::string> names;
  for (const int number : all_launches(out)) {
    const std::string dir = dir_of_launch(out, number);
    if (is_finished(dir)) continue;
    std::string aside;
    int again = 0;
    do {
      aside = fmt::format("{}.unfinished-{}", dir, ++again);
    } while (fs::exists(aside));
    if (fs::exists(dir + ".log")) rename_to(dir + ".log", aside + ".log");
    rename_to(dir, aside);
    names.push_back(fs::path(aside).filename().string());
  }
  return names;
}

PooledLaunches read_launches(const std::string& out, bool accept_edited) {
  PooledLaunches pooled;
  pooled.numbers = finished_launches(out);
  if (pooled.numbers.empty()) {
    throw RunError(fmt::format("{} has no finished launch", launches_in(out)));
  }
  std::vector<RunInfo> infos;
  for (const int number : pooled.numbers) {
    infos.push_back(read_run_info(info_file(dir_of_launch(out, number)), accept_edited));
    require_same_campaign(out, infos.front(), infos.back());
  }
  pooled.info = common_info(infos);
  pooled.plan = plan_of_campaign(infos, out);
  pooled.plan.facts.distortions = pooled.info.distortions;
  warn_of_environments(infos, &pooled.warnings);
  const std::vector<std::string> arms = names_of(pooled.plan.facts.arms);
  for (std::size_t i = 0; i < infos.size(); ++i) {
    const std::string raw = dir_of_launch(out, pooled.numbers[i]) + "/raw";
    const Plan own =
        make_plan(read_config_text(infos[i].config_text, raw, {}), infos[i].world_size);
    std::vector<RankRecords> records =
        read_run_records({raw, infos[i].run, arms, accept_edited}, own.facts, &pooled.warnings);
    append_launch(pooled.plan.facts, static_cast<int>(i), std::move(records), &pooled.records);
  }
  return pooled;
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

bool has_ended(const PooledLaunches& launches) {
  const CampaignFacts& facts = launches.plan.facts;
  const auto finished = static_cast<int>(launches.numbers.size());
  for (const int look : looks_of(facts)) {
    if (look <= finished && decide_at_look(facts, launches.records, look).stop) return true;
  }
  return false;
}

FinishedRun judge_launches(const PooledLaunches& launches) {
  FinishedRun run;
  run.info = launches.info;
  run.plan = launches.plan;
  run.summary = summarize_campaign(run.plan.facts, launches.records);
  for (std::size_t i = 0; i < run.summary.launches.size(); ++i) {
    run.summary.launches[i].number = launches.numbers.at(i);
  }
  run.summary.warnings.insert(run.summary.warnings.end(), launches.warnings.begin(),
                              launches.warnings.end());
  if (!has_ended(launches)) {
    run.info.finished = false;
    run.info.failure = fmt::format(
        "{} of at most {} launches are finished; repeat the launch command with this --out to go "
        "on",
        launches.numbers.size(), run.plan.facts.launches);
    withhold_passes(run.summary);
  }
  run.summary.exit_code = exit_code_of(run.info, run.summary);
  return run;
}

}  // namespace traceml
