#include "harness/reports/baseline_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/analysis/statistics.h"
#include "harness/reports/figures.h"
#include "harness/reports/table.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

constexpr double kAlpha = 0.05;  // of one look; several gates in a config share it for failures

std::string number_of(const CampaignRecord& campaign) {
  return campaign.name.substr(campaign.name.rfind(' ') + 1);
}

std::string numbers_of(const std::vector<CampaignRecord>& campaigns) {
  std::string numbers;
  for (const CampaignRecord& one : campaigns) {
    numbers += (numbers.empty() ? "" : " ") + number_of(one);
  }
  return numbers;
}

std::string value_of(const std::map<std::string, std::string>& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() ? kNull : found->second;
}

std::set<std::string> arms_of(const std::vector<CampaignRecord>& campaigns) {
  std::set<std::string> names;
  for (const CampaignRecord& campaign : campaigns) {
    for (const auto& [name, ignored] : campaign.arms) names.insert(name);
  }
  return names;
}

std::optional<Millis> wall_of(const CampaignRecord& campaign, const std::string& arm) {
  const auto log_wall = log_wall_of(campaign, arm);
  return log_wall ? std::optional(Millis{std::exp(*log_wall)}) : std::nullopt;
}

std::size_t launches_of(const CampaignRecord& campaign) {
  std::size_t most = 0;
  for (const auto& [name, arm] : campaign.arms) most = std::max(most, arm.launches.size());
  return most;
}

std::string plain_lines(const std::vector<std::string>& lines, int columns) {
  std::string text;
  for (const std::string& line : lines) {
    for (const std::string& part : wrapped(plain_text(line), "", columns)) text += part + "\n";
  }
  return text;
}

// "device: H200", or with the campaigns of each value where they differ.
std::string field_line(const PinnedBaseline& pinned, const std::string& name,
                       std::map<std::string, std::string> CampaignRecord::*fields) {
  std::map<std::string, std::string> campaigns;  // value -> numbers
  for (const CampaignRecord& one : pinned.campaigns) {
    std::string& numbers = campaigns[value_of(one.*fields, name)];
    numbers += (numbers.empty() ? "" : " ") + number_of(one);
  }
  if (campaigns.size() == 1) return fmt::format("{}: {}", name, campaigns.begin()->first);
  std::string values;
  for (const auto& [value, numbers] : campaigns) {
    values += fmt::format("{}{} ({})", values.empty() ? "" : ", ", value, numbers);
  }
  return fmt::format("{}: {}", name, values);
}

std::vector<std::string> fingerprint_lines(const PinnedBaseline& pinned) {
  std::vector<std::string> lines;
  for (const auto fields : {&CampaignRecord::machine, &CampaignRecord::software}) {
    std::set<std::string> names;
    for (const CampaignRecord& one : pinned.campaigns) {
      for (const auto& [name, value] : one.*fields) names.insert(name);
    }
    for (const std::string& name : names) lines.push_back(field_line(pinned, name, fields));
  }
  return lines;
}

void add_row(Table& table, const std::string& arm, const std::string& what,
             const std::vector<double>& logs, bool time) {
  const auto estimate = launch_estimate(logs);
  if (!estimate) return;
  const double mean = std::exp(estimate->theta);
  table.rows.push_back({arm, what, std::to_string(logs.size()),
                        time ? ms(Millis{mean}, decimals_for(Millis{mean})) : fixed(mean, 4),
                        percent(estimate->spread->sd, 2),
                        percent(stored_minimum_detectable(logs, kAlpha), 2)});
}

Table table_of_values(const PinnedBaseline& pinned) {
  Table table;
  table.rest_in = "a wider terminal";
  table.title = "What one more campaign is held against";
  table.caption =
      "means over the launches of a campaign, then over campaigns: wall per step, host clock, max "
      "over ranks; ratios to the matched input-free reference within blocks.";
  table.columns = {{"arm", true, 0, true},   {"value", true, 0, false}, {"campaigns"}, {"mean"},
                   {"spread of\ncampaigns"}, {"can see\na change of"}};
  for (const std::string& arm : arms_of(pinned.campaigns)) {
    add_row(table, arm, "ratio to reference", log_ratios_of(pinned, arm), false);
    add_row(table, arm, "wall per step", log_walls_of(pinned, arm), true);
  }
  table.remarks = {
      "can see: the change that one more campaign tells from none in 4 of 5 nights, at 5 %."};
  return table;
}

}  // namespace

std::string stored_power_line(const CampaignFacts& facts, const GateSpec& gate,
                              const PinnedBaseline& baseline) {
  const std::string& arm = facts.arms.at(static_cast<std::size_t>(gate.candidate.value)).name;
  const bool ratio = gate.judges_ratio_to_reference();
  const auto sees = [&](const std::vector<double>& logs) {
    return percent(stored_minimum_detectable(logs, facts.alpha), 2);
  };
  const auto change =
      ratio ? sees(log_ratios_of(baseline, arm)) : sees(log_walls_of(baseline, arm));
  if (baseline.campaigns.size() < kFewestCampaigns || change == kNull) {
    return fmt::format(
        "{}: no verdict yet: {} campaign{} stored, {} pinned, and a verdict needs {}", gate.name,
        baseline.stored, baseline.stored == 1 ? "" : "s", baseline.campaigns.size(),
        kFewestCampaigns);
  }
  std::string line = fmt::format("{} (pin {}, {} campaigns) can see a change of {}", gate.name,
                                 baseline.pin, baseline.campaigns.size(), change);
  if (!ratio) return line + " of its wall per step";
  const std::string& reference = facts.arms.at(static_cast<std::size_t>(gate.baseline.value)).name;
  return line + fmt::format(" of its ratio to {}, and one of {} of the wall per step of {}",
                            reference, sees(log_walls_of_reference(baseline, arm)), reference);
}

std::string render_baseline_list(const std::string& dir,
                                 const std::vector<CampaignRecord>& campaigns,
                                 const std::vector<PinInWords>& pins, const PinnedBaseline& pinned,
                                 int columns) {
  if (campaigns.empty()) return plain_lines({dir + " holds no campaign"}, columns);
  const std::set<std::string> arms = arms_of(campaigns);
  Table table;
  table.rest_in = "a wider terminal";
  table.title = "Campaigns of " + plain_text(dir);
  table.caption =
      "of each arm the wall per step in ms: host clock, max over ranks, mean of launches.";
  table.columns = {{"campaign", false, 0, false}, {"pinned", true, 0, false},
                   {"began", true, 0, false},     {"launches", false, 2, false},
                   {"device", true, 1, false},    {"commit", true, 3, true}};
  int order = 4;
  for (const std::string& arm : arms) {
    table.columns.push_back({plain_text(arm), false, order++, true});
  }
  for (const CampaignRecord& campaign : campaigns) {
    const bool is_pinned =
        std::any_of(pinned.campaigns.begin(), pinned.campaigns.end(),
                    [&](const CampaignRecord& one) { return one.name == campaign.name; });
    std::vector<std::string> row = {number_of(campaign),
                                    is_pinned ? "yes" : "",
                                    campaign.created_utc,
                                    std::to_string(launches_of(campaign)),
                                    value_of(campaign.machine, "device"),
                                    value_of(campaign.software, "commit").substr(0, 12)};
    for (const std::string& arm : arms) {
      const auto wall = wall_of(campaign, arm);
      row.push_back(bare_ms(wall, decimals_for(wall.value_or(Millis{}))));
    }
    table.rows.push_back(std::move(row));
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < pins.size(); ++i) {
    lines.push_back(fmt::format("pin {}, {}: campaigns {}{}", i + 1, pins[i].created_utc,
                                pins[i].campaigns, i + 1 == pins.size() ? " (holds)" : ""));
  }
  if (pins.empty()) {
    lines.push_back("Nothing is pinned: traceml-bench baseline pin " + dir + " CAMPAIGN...");
  }
  return draw_table(table, columns) + plain_lines(lines, columns);
}

std::string render_baseline(const std::string& dir, const PinnedBaseline& pinned, int columns) {
  if (pinned.campaigns.empty()) {
    return plain_lines({fmt::format("{}: {} campaign{} stored, none pinned; pin five or more: "
                                    "traceml-bench baseline pin {} CAMPAIGN...",
                                    dir, pinned.stored, pinned.stored == 1 ? "" : "s", dir)},
                       columns);
  }
  std::vector<std::string> lines = {
      fmt::format("{}, pin {}: campaigns {}", dir, pinned.pin, numbers_of(pinned.campaigns)), ""};
  for (std::string& line : fingerprint_lines(pinned)) lines.push_back(std::move(line));
  lines.emplace_back("");
  return plain_lines(lines, columns) + draw_table(table_of_values(pinned), columns);
}

}  // namespace traceml
