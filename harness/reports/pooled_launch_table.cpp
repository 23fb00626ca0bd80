#include "harness/reports/pooled_launch_table.h"

#include <algorithm>
#include <cmath>

#include "harness/reports/figures.h"

namespace traceml {
namespace {

// "shipped against reference" on two lines.
std::string on_two_lines(std::string name) {
  const std::size_t middle = name.find(' ');
  if (middle != std::string::npos) name[middle] = '\n';
  return name;
}

std::string theta_text(const GateSpec& gate, const std::optional<double>& theta) {
  if (!theta) return kNull;
  return gate.kind == GateKind::kMinFraction ? percent(std::exp(-*theta), 2)
                                             : signed_percent(std::expm1(*theta), 2) + " %";
}

}  // namespace

std::optional<Table> pooled_launch_table(const ReportInput& input) {
  const auto& launches = input.summary.launches;
  if (launches.empty()) return std::nullopt;
  const CampaignFacts& facts = input.plan.facts;
  Table table;
  table.title = "Launches";
  table.caption =
      "one value a launch, mean of its blocks: of each gate, as the gate is written, and of each "
      "arm the wall per step in ms. host clock, max over ranks.";
  table.columns = {{"launch", false, 0, false}};
  int drop_order = 1;
  for (const GateSpec& gate : facts.gates) {
    table.columns.push_back({on_two_lines(gate.name), false, drop_order++, false});
  }
  for (const ArmFacts& arm : facts.arms) {
    table.columns.push_back({arm.name + "\nwall", false, drop_order++, false});
  }
  Millis largest{};
  for (const LaunchRow& launch : launches) {
    for (const auto& wall : launch.walls) largest = std::max(largest, wall.value_or(Millis{}));
  }
  for (const LaunchRow& launch : launches) {
    std::vector<std::string> row = {std::to_string(launch.number)};
    for (std::size_t i = 0; i < facts.gates.size(); ++i) {
      row.push_back(theta_text(facts.gates[i], launch.thetas.at(i)));
    }
    for (const auto& wall : launch.walls) row.push_back(bare_ms(wall, decimals_for(largest)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace traceml
