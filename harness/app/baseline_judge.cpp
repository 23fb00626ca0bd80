#include "harness/app/baseline_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "harness/analysis/campaign.h"
#include "harness/analysis/confirmation.h"
#include "harness/app/campaign_record.h"
#include "harness/app/launch_folder.h"
#include "harness/app/pooled_launches.h"
#include "harness/app/terminal_style.h"
#include "harness/codec/baseline_store.h"
#include "harness/core/error.h"
#include "harness/plan/semantic_keys.h"
#include "harness/reports/terminal.h"

namespace traceml {
namespace {

struct Candidates {
  std::vector<PooledLaunches> launches;
  std::vector<CampaignRecord> records;
  // By campaign, then by stored gate of its plan.
  std::vector<std::vector<std::vector<Finding>>> findings;
};

// What must be equal for campaigns to answer one question.
std::string question_of(const CampaignFacts& facts) {
  std::string text;
  for (const GateSpec& gate : facts.stored_gates) {
    text += fmt::format("{} {} {} {};", gate.name, gate.delta, gate.stored->reference_delta,
                        fmt::join(gate.stored->treatment, " "));
  }
  return text;
}

PooledLaunches read_whole_campaign(const std::string& run_dir) {
  if (!is_launch_folder(run_dir)) {
    throw UsageError(fmt::format("{} is not the folder of a traceml-bench launch", run_dir));
  }
  PooledLaunches launches = read_launches(run_dir, false);
  const CampaignFacts& facts = launches.plan.facts;
  if (facts.stored_gates.empty()) {
    throw UsageError(fmt::format(
        "the config of {} has no gate on stored campaigns, so there is nothing to judge", run_dir));
  }
  if (launches.finished < facts.launches) {
    throw UsageError(fmt::format("{} holds {} of {} launches; finish that campaign first", run_dir,
                                 launches.finished, facts.launches));
  }
  if (const auto late = timed_out_launch(launches.lost)) {
    throw UsageError(
        fmt::format("{} is no campaign to judge: {}, and a limit leaves out slow "
                    "launches",
                    run_dir, describe_timed_out(*late)));
  }
  const std::string failed =
      too_many_failed(lost_at_first(launches), static_cast<std::size_t>(launches.finished));
  if (!failed.empty()) {
    throw UsageError(fmt::format("{} is no campaign to judge: {}", run_dir, failed));
  }
  return launches;
}

void add_candidate(const PooledLaunches& launches, Candidates* candidates) {
  candidates->records.push_back(record_of(launches));
  candidates->findings.push_back(findings_of_stored_gates(launches.plan.facts, launches.records));
}

Candidates read_candidates(const std::vector<std::string>& run_dirs) {
  Candidates candidates;
  for (const std::string& run_dir : run_dirs) {
    PooledLaunches launches = read_whole_campaign(run_dir);
    add_candidate(launches, &candidates);
    candidates.records.back().name = run_dirs.size() == 1 ? "" : run_dir;
    for (auto& of_gate : candidates.findings.back()) {
      for (Finding& finding : of_gate) {
        if (run_dirs.size() > 1) finding.why = run_dir + ": " + finding.why;
      }
    }
    candidates.launches.push_back(std::move(launches));
    if (question_of(candidates.launches.back().plan.facts) ==
        question_of(candidates.launches.front().plan.facts)) {
      continue;
    }
    throw UsageError(fmt::format("{} and {} are not judged together: their stored gates differ",
                                 run_dirs.front(), run_dir));
  }
  return candidates;
}

// With gates on several stores those that name this one.
bool is_of_store(const GateSpec& gate, const CampaignFacts& facts, const std::string& dir) {
  const std::string& first = facts.stored_gates.front().stored->store;
  const bool one_store =
      std::all_of(facts.stored_gates.begin(), facts.stored_gates.end(),
                  [&](const GateSpec& other) { return other.stored->store == first; });
  const auto last_part = [](const std::string& path) {
    return std::filesystem::path(path + "/").parent_path().filename();
  };
  return one_store || last_part(gate.stored->store) == last_part(dir);
}

PinnedBaseline pinned_in(const std::string& dir) {
  PinnedBaseline baseline = pinned_of(read_store(dir));
  for (CampaignRecord& campaign : baseline.campaigns) {
    for (auto& [name, arm] : campaign.arms) add_younger_keys(&arm.settings);
  }
  return baseline;
}

CampaignSummary judge_together(const std::string& dir, const CampaignFacts& facts,
                               const Candidates& candidates, const PinnedBaseline& baseline) {
  CampaignSummary summary;
  for (std::size_t i = 0; i < facts.stored_gates.size(); ++i) {
    const GateSpec& gate = facts.stored_gates[i];
    if (!is_of_store(gate, facts, dir)) continue;
    std::vector<Finding> findings;
    for (const auto& of_campaign : candidates.findings) {
      findings.insert(findings.end(), of_campaign[i].begin(), of_campaign[i].end());
    }
    summary.gates.push_back(
        judge_against_stored(facts, gate, candidates.records, baseline, std::move(findings)));
  }
  return summary;
}

// confirm_on_fail: a second measurement belongs to one campaign.
void confirm(const std::string& dir, const std::vector<PooledLaunches>& campaigns,
             const PinnedBaseline& baseline, CampaignSummary& summary) {
  if (campaigns.size() > 1) {
    return confirm_failures(nullptr, summary,
                            "a second measurement belongs to each campaign: judge them one by one");
  }
  const PooledLaunches& campaign = campaigns.front();
  if (!is_measured_again(campaign)) return confirm_failures(nullptr, summary);
  Candidates second;
  add_candidate(*campaign.again, &second);
  const CampaignSummary again = judge_together(dir, campaign.plan.facts, second, baseline);
  confirm_failures(&again, summary);
}

}  // namespace

int judge_campaigns(const std::string& dir, const std::vector<std::string>& run_dirs) {
  const Candidates candidates = read_candidates(run_dirs);
  const PinnedBaseline baseline = pinned_in(dir);
  const PooledLaunches& first = candidates.launches.front();
  CampaignSummary summary = judge_together(dir, first.plan.facts, candidates, baseline);
  if (summary.gates.empty()) {
    throw UsageError(fmt::format("the config of {} has no gate on {}; its stores have other names",
                                 run_dirs.front(), dir));
  }
  confirm(dir, candidates.launches, baseline, summary);
  const ReportInput input{first.info, first.plan, summary, "", {}};
  std::fputs(render_gates(input, style_of_stdout()).c_str(), stdout);
  if (run_dirs.size() > 1) {
    fmt::print("judged together: {}\n", fmt::join(run_dirs, ", "));
  }
  fmt::print("{}\n", render_verdict_line(input));
  return summary.exit_code;
}

}  // namespace traceml
