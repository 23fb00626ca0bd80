#include "harness/analysis/command_campaign.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "harness/analysis/campaign.h"
#include "harness/analysis/distribution.h"

namespace traceml {

namespace {

bool is_measure(double value) {
  return std::isfinite(value) && value > 0;
}

// A number with a unit of time is kept as that time; of any other only ratios mean something.
Millis cost_of(const CommandFacts& facts, double value) {
  if (!is_measure(value)) return Millis(value);
  if (facts.larger_is_better) return Millis(1 / value);
  return Millis(facts.unit == "s" ? value * 1000 : value);
}

bool is_time(const CommandFacts& facts) {
  return !facts.larger_is_better && (facts.unit == "s" || facts.unit == "ms");
}

void drop_times(ArmSummary* arm) {
  arm->window_walls.clear();
  arm->wall_per_step = std::nullopt;
  arm->window_distribution = std::nullopt;
  for (RankFigures& rank : arm->ranks) rank.wall_per_step = std::nullopt;
}

// Costs without a unit of time are no milliseconds; their ratios stay.
void drop_times(CampaignSummary* summary) {
  for (ArmSummary& arm : summary->arms) drop_times(&arm);
  for (GateResult& gate : summary->gates) gate.mean_difference = std::nullopt;
}

bool starts_pass(const std::vector<BlockPass>& passes, const CommandRecord& launch) {
  if (passes.empty() || passes.back().block != *launch.block) return true;
  return launch.order <= passes.back().launches.back()->order;
}

// The launches of valid blocks whose numbers are none that a time or a throughput can be.
std::vector<const CommandRecord*> without_measure(const std::vector<BlockPass>& passes) {
  std::vector<const CommandRecord*> found;
  for (const BlockPass& pass : passes) {
    if (pass.voided_by() != nullptr) continue;
    for (const CommandRecord* launch : pass.launches) {
      if (!is_measure(*launch->value)) found.push_back(launch);
    }
  }
  return found;
}

// Of an arm with a number that is no measure only the counts: a mean of the others would flatter.
CommandFigures figures_of(const std::vector<BlockPass>& passes, ArmIndex arm) {
  CommandFigures figures;
  std::vector<double> values;
  for (const BlockPass& pass : passes) {
    for (const CommandRecord* launch : pass.launches) {
      if (launch->arm != arm) continue;
      ++(pass.voided_by() == nullptr ? figures.launches : figures.voided);
      if (pass.voided_by() == nullptr) values.push_back(*launch->value);
    }
  }
  if (!std::all_of(values.begin(), values.end(), is_measure)) return figures;
  if (const auto spread = distribution_of(std::move(values))) {  // of plain numbers here
    figures.mean = spread->mean.count();
    figures.median = spread->median.count();
    figures.min = spread->min.count();
    figures.max = spread->max.count();
  }
  return figures;
}

std::string sentence_of(const CampaignFacts& facts, const CommandRecord& launch) {
  return "launch " + std::to_string(launch.launch) + " (" +
         facts.arms.at(static_cast<std::size_t>(launch.arm.value)).name + ", block " +
         std::to_string(*launch.block) + ") voids its block: " + launch.void_reason;
}

}  // namespace

const CommandRecord* BlockPass::voided_by() const {
  for (const CommandRecord* launch : launches) {
    if (!launch->void_reason.empty()) return launch;
  }
  return nullptr;
}

std::vector<BlockPass> passes_of(const std::vector<CommandRecord>& launches) {
  std::vector<BlockPass> passes;
  for (const CommandRecord& launch : launches) {
    if (!launch.block) continue;
    if (starts_pass(passes, launch)) passes.push_back({*launch.block, {}});
    passes.back().launches.push_back(&launch);
  }
  return passes;
}

RankRecords windows_of_commands(const CampaignFacts& facts,
                                const std::vector<CommandRecord>& launches) {
  RankRecords records;
  int block = 0;
  for (const BlockPass& pass : passes_of(launches)) {
    if (pass.voided_by() != nullptr) continue;
    for (const CommandRecord* launch : pass.launches) {
      WindowRecord window;
      window.arm = launch->arm;
      window.block = block;
      window.order = launch->order;
      window.window = {launch->launch};
      window.steps = 1;
      window.end_host = launch->wall;
      window.reported = cost_of(*facts.commands, *launch->value);
      records.windows.push_back(window);
    }
    ++block;
  }
  return records;
}

std::string no_measure(const CampaignFacts& facts, ArmIndex arm, std::int64_t launch,
                       double value) {
  char number[32];
  std::snprintf(number, sizeof number, "%.6g", value);
  return "launch " + std::to_string(launch) + " (" +
         facts.arms.at(static_cast<std::size_t>(arm.value)).name + ") gave " + number + " " +
         facts.commands->unit + ", which is no finite number above zero";
}

int void_blocks_allowed(int blocks) {
  return blocks / 4;  // v / (blocks + v) <= 0.2
}

CampaignSummary summarize_commands(const CampaignFacts& facts,
                                   const std::vector<CommandRecord>& launches) {
  CampaignSummary summary = summarize_campaign(facts, {windows_of_commands(facts, launches)});
  const std::vector<BlockPass> passes = passes_of(launches);
  CommandSummary commands;
  summary.warnings.clear();  // of windows and steps
  for (const ArmSummary& arm : summary.arms) {
    commands.arms.push_back(figures_of(passes, arm.arm));
    if (arm.outlier_windows == 0) continue;
    summary.warnings.push_back(arm.name + ": " + std::to_string(arm.outlier_windows) + " of " +
                               std::to_string(arm.windows) +
                               " launches lie outside Tukey's fences of 3 IQR (labelled, not "
                               "dropped)");
  }
  for (const BlockPass& pass : passes) {
    const CommandRecord* culprit = pass.voided_by();
    if (culprit == nullptr) continue;
    ++commands.blocks_voided;
    summary.warnings.push_back(sentence_of(facts, *culprit));
  }
  for (const CommandRecord* launch : without_measure(passes)) {
    drop_times(&summary.arms.at(static_cast<std::size_t>(launch->arm.value)));
    summary.warnings.push_back(no_measure(facts, launch->arm, launch->launch, *launch->value));
  }
  for (GateResult& gate : summary.gates) gate.blocks_voided = commands.blocks_voided;
  if (!is_time(*facts.commands)) drop_times(&summary);
  summary.commands = commands;
  return summary;
}

}  // namespace traceml
