#include "harness/reports/sweep_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/codec/shareable_text.h"
#include "harness/plan/spin_rules.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

// Quoted as CSV has it where it must be.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// As many digits as it takes to read the same number back.
std::string number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::optional<double> relative(const std::optional<double>& theta) {
  return theta ? std::optional(std::expm1(*theta)) : std::nullopt;
}

void add_fraction(const std::optional<FractionFigure>& figure, std::vector<std::string>* row) {
  row->push_back(figure ? number(figure->fraction) : "");
  row->push_back(figure && figure->interval ? number(figure->interval->lower) : "");
  row->push_back(figure && figure->interval ? number(figure->interval->upper) : "");
}

std::vector<std::string> head_of(const SweepResult& sweep) {
  std::vector<std::string> head = {"setting"};
  for (const std::string& key : sweep.spec.keys) head.push_back(field(key));
  for (const char* name : {"cost_rank",
                           "loader_threads",
                           "loader_bytes",
                           "standing",
                           "answer",
                           "wall_ms",
                           "images_per_s",
                           "slower_than_best",
                           "slower_lower",
                           "slower_upper",
                           "judging_blocks",
                           "closed_after_blocks",
                           "fraction_of_reference",
                           "fraction_of_reference_lower_90",
                           "fraction_of_reference_upper_90",
                           "fraction_of_common",
                           "fraction_of_common_lower_90",
                           "fraction_of_common_upper_90",
                           "wait_share",
                           "reference_wait_share",
                           "wait_clock",
                           "limited_by",
                           "trial"}) {
    head.emplace_back(name);
  }
  return head;
}

std::vector<std::string> row_of(const SweepResult& sweep, const CampaignSummary& summary,
                                std::size_t i) {
  const SettingResult& setting = sweep.settings[i];
  const ArmSummary& arm = summary.arms.at(static_cast<std::size_t>(setting.setting.arm.value));
  std::vector<std::string> row = {field(arm.name)};
  for (const std::string& value : setting.setting.values) {
    row.push_back(field(value_without_folders(value)));
  }
  row.push_back(std::to_string(setting.setting.cost_rank));
  row.push_back(std::to_string(setting.setting.loader_threads));
  row.push_back(std::to_string(setting.setting.loader_bytes));
  row.emplace_back(name_of(setting.standing));
  row.push_back(sweep.answer == i ? "1" : "0");
  row.push_back(arm.wall_per_step ? number(arm.wall_per_step->count()) : "");
  row.push_back(number(arm.images_per_s));
  const auto& judged = setting.judged;
  const Interval* interval = judged && judged->interval ? &*judged->interval : nullptr;
  row.push_back(judged ? number(relative(judged->theta)) : "");
  row.push_back(interval ? number(std::expm1(interval->lower)) : "");
  row.push_back(interval ? number(std::expm1(interval->upper)) : "");
  row.push_back(judged ? std::to_string(judged->blocks) : "");
  row.push_back(judged && judged->look > 0 ? std::to_string(judged->look) : "");
  add_fraction(setting.of_matched, &row);
  add_fraction(setting.of_common, &row);
  const auto& waits = setting.waits;
  row.push_back(waits ? number(waits->share) : "");
  row.push_back(waits ? number(waits->of_reference) : "");
  row.push_back(waits ? std::string(name_of(waits->clock)) : "");
  row.push_back(waits && waits->limit ? std::string(name_of(*waits->limit)) : "");
  return row;
}

}  // namespace

std::string render_sweep_csv(const ReportInput& input) {
  const SweepResult& sweep = *input.summary.sweep;
  std::string text = joined(head_of(sweep), ",") + "\n";
  for (std::size_t i = 0; i < sweep.settings.size(); ++i) {
    std::vector<std::string> row = row_of(sweep, input.summary, i);
    row.push_back(field(trial_of(input.plan.config)));
    text += joined(row, ",") + "\n";
  }
  return text;
}

}  // namespace traceml
