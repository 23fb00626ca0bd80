#include "harness/app/selfcheck_folder.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "harness/analysis/campaign.h"
#include "harness/app/campaign_record.h"
#include "harness/app/launch_folder.h"
#include "harness/app/lost_launches.h"
#include "harness/app/pooled_launches.h"
#include "harness/app/terminal_style.h"
#include "harness/codec/atomic_file.h"
#include "harness/codec/config_file.h"
#include "harness/codec/gate_figures.h"
#include "harness/codec/raw_files.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/reports/html/html.h"
#include "harness/reports/selfcheck_text.h"
#include "harness/runner/launcher.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

constexpr int kSeedsOfLaunches = 1000;  // below: those of launches
constexpr int kFileColumns = 100;       // of selfcheck.txt

std::string profile_file(const std::string& out) {
  return out + "/noise_profile.json";
}

struct ReadRun {
  std::vector<RunInfo> infos;
  CampaignFacts facts;
  std::uint64_t seed = 0;  // of its config
  std::string equal_arms;
  std::string name;
  bool simulated = false;
  std::string withheld;  // of a campaign of launches: what was lost of it
  EqualRun run;
};

void take_plan(const Plan& plan, ReadRun* read) {
  read->facts = plan.facts;
  read->seed = plan.config.seed;
  read->equal_arms = plan.config.measure.equal_arms;
  read->name = plan.config.name;
  read->simulated = plan.config.workload.clock == ClockKind::kVirtual;
}

ReadRun read_single_run(const std::string& dir) {
  ReadRun read;
  const std::string raw = dir + "/raw";
  const RunInfo info = read_run_info(raw + "/run_info.json", false);
  Plan plan =
      make_plan(read_config_text(info.config_text, raw + "/run_info.json", {}), info.world_size);
  plan.facts.distortions = info.distortions;
  take_plan(plan, &read);
  std::vector<std::string> ignored;
  const std::vector<RankRecords> records =
      read_run_records({raw, info.run, arm_names(plan.facts), false}, plan.facts, &ignored);
  read.infos = {info};
  read.run.gates = summarize_campaign(plan.facts, records).gates;
  if (!plan.facts.gates.empty()) {
    read.run.equal_pairs = pairs_by_launch(plan.facts, records, plan.facts.gates.front());
  }
  return read;
}

// What was measured again because it was slow would choose among values.
std::string why_withheld(const std::vector<LostLaunch>& lost, int finished) {
  if (const auto late = timed_out_launch(lost)) {
    return describe_timed_out(*late) + ", and a limit leaves out slow ones";
  }
  return too_many_failed(lost, static_cast<std::size_t>(finished));
}

ReadRun read_run_of_launches(const std::string& dir) {
  ReadRun read;
  const PooledLaunches launches = read_launches(dir, false);
  read.withheld = why_withheld(launches.lost, launches.finished);
  take_plan(launches.plan, &read);
  read.infos = launches.infos;
  read.run.gates = judge_launches(launches).summary.gates;
  const CampaignFacts& facts = launches.plan.facts;
  if (!facts.gates.empty()) {
    read.run.equal_pairs = pairs_by_launch(facts, launches.records, facts.gates.front());
  }
  return read;
}

// A copy of a run is no run.
ReadRun read_run(const std::string& out, int number, const SelfcheckRequest& request) {
  const std::string dir = dir_of_equal_run(out, number);
  ReadRun read = request.launches > 1 ? read_run_of_launches(dir) : read_single_run(dir);
  const bool own = read.seed == seed_of_equal_run(request.seed, number) &&
                   read.equal_arms == request.arm && !read.run.gates.empty();
  if (!own) {
    throw RunError(
        fmt::format("{} is not run {} of this self-check: a copied or exchanged run counts for "
                    "nothing; put the right one back",
                    dir, number));
  }
  return read;
}

bool is_finished(const std::string& out, int number, const SelfcheckRequest& request) {
  const std::string dir = dir_of_equal_run(out, number);
  if (request.launches == 1) return read_if_finished(dir, false).has_value();
  if (!is_launch_folder(dir) || finished_launches(dir, false).empty()) return false;
  return has_ended(read_launches(dir, false));
}

int unfinished_in(const std::string& out) {
  int count = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(out + "/runs", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".unfinished-") != std::string::npos && entry.is_directory(ignored)) ++count;
  }
  return count;
}

NoiseProfile profile_of(const SelfcheckReport& report, const std::vector<RunInfo>& infos) {
  NoiseProfile profile;
  profile.created_utc = report.request.created_utc;
  profile.tool_version = infos.front().tool_version;
  profile.config_hash = report.request.config_hash;
  profile.machine = machine_of(infos);
  profile.arm = report.request.arm;
  profile.runs = report.finished;
  if (!report.summary.noise) return profile;
  profile.launches = report.summary.noise->launches;
  profile.pair_sd = report.summary.noise->pair_sd;
  profile.interaction_sd = report.summary.noise->interaction_sd;
  profile.interaction_sd_upper = report.summary.noise->interaction_sd_upper;
  return profile;
}

}  // namespace

bool is_selfcheck_folder(const std::string& dir) {
  return fs::is_directory(dir + "/runs") && fs::exists(selfcheck_request_file(dir));
}

std::string dir_of_equal_run(const std::string& out, int number) {
  return out + "/runs/" + folder_of_launch(number);
}

std::uint64_t seed_of_equal_run(std::uint64_t seed, int number) {
  return seed_of_launch(seed, kSeedsOfLaunches + number);
}

int finished_equal_runs(const std::string& out, const SelfcheckRequest& request) {
  int finished = 0;
  while (is_finished(out, finished + 1, request)) ++finished;
  if (fs::exists(dir_of_equal_run(out, finished + 2))) {
    throw RunError(fmt::format(
        "{} is missing or unfinished, though a later run is there: put it back, or check anew into "
        "another --out",
        dir_of_equal_run(out, finished + 1)));
  }
  return finished;
}

SelfcheckReport read_selfcheck(const std::string& out) {
  SelfcheckReport report;
  report.request = read_selfcheck_request(selfcheck_request_file(out));
  report.finished = finished_equal_runs(out, report.request);
  report.unfinished = unfinished_in(out);
  if (report.request.launches == 1) {
    report.withheld = why_withheld(lost_launches(out, "runs"), report.finished);
  }
  if (report.finished == 0) throw RunError(fmt::format("{}/runs has no finished run", out));
  std::vector<RunInfo> infos;
  std::vector<EqualRun> runs;
  CampaignFacts facts;
  for (int number = 1; number <= report.finished; ++number) {
    ReadRun read = read_run(out, number, report.request);
    if (number == 1) {
      facts = read.facts;
      report.config_name = read.name;
      report.clock = read.simulated ? "virtual clock" : "";
    }
    if (report.withheld.empty() && !read.withheld.empty()) {
      report.withheld = fmt::format("run {}: {}", number, read.withheld);
    }
    infos.insert(infos.end(), read.infos.begin(), read.infos.end());
    runs.push_back(std::move(read.run));
  }
  report.summary = summarize_selfcheck(facts, runs, report.request.effects);
  report.profile = profile_of(report, infos);
  return report;
}

void publish_selfcheck(const std::string& out, const SelfcheckReport& report, bool quiet) {
  const std::string text = quiet ? render_selfcheck_line(report) + "\n"
                                 : render_selfcheck(report, out, style_of_stdout());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  write_file_atomically(out + "/selfcheck.json", write_selfcheck_json(report));
  write_file_atomically(out + "/selfcheck.txt",
                        render_selfcheck(report, "", {kFileColumns, false}));
  if (html_built()) write_file_atomically(out + "/selfcheck.html", render_selfcheck_html(report));
  const bool profiled = report.profile.launches >= kFewestLaunchesOfAProfile && report.is_whole() &&
                        report.withheld.empty();
  if (profiled) {
    write_noise_profile(profile_file(out), report.profile);
  } else {
    fs::remove(profile_file(out));  // of runs that are gone, or that more were asked of
  }
}

}  // namespace traceml
