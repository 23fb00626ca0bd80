#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/codec/shareable_text.h"
#include "harness/plan/spin_rules.h"
#include "harness/reports/pipeline_arms.h"
#include "harness/reports/pipeline_table.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

constexpr const char* kHead =
    "arm,workers,scheduling,prefetch,dtype,cache,pinned,copy,decode,hardware_share,"
    "matched_reference,"
    "fraction_of_matched,fraction_of_matched_low,fraction_of_matched_high,common_reference,"
    "fraction_of_common,fraction_of_common_low,fraction_of_common_high,wall_ms,images_per_s,"
    "input_wait_host_ms,input_wait_device_ms,exposed_copy_host_ms,exposed_copy_device_ms,"
    "long_waits,long_waits_total_ms,long_waits_longest_ms,rhythm_steps,rhythm_intervals,"
    "rhythm_of_intervals,trial\n";

constexpr std::array<const char*, 9> kSettings = {
    "input.workers", "input.scheduling", "input.prefetch", "input.dtype",         "input.cache",
    "input.pinned",  "input.copy",       "input.decode",   "input.hardware_share"};

class CsvLine {
 public:
  void name(std::string_view name) {
    const std::string text = plain_text(without_folders(std::string(name)));
    if (text.find_first_of(",\"#") == std::string::npos) return add(text);
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    add(quoted + '"');
  }
  void number(std::optional<double> value) {
    add(value && std::isfinite(*value) ? fmt::format("{}", *value) : "");
  }
  void number(std::optional<Millis> value) {
    number(value ? std::optional(value->count()) : std::nullopt);
  }
  void count(std::optional<std::int64_t> value) { add(value ? std::to_string(*value) : ""); }
  void fraction(std::optional<double> value, const std::optional<Interval>& interval) {
    number(value);
    number(interval ? std::optional(interval->lower) : std::nullopt);
    number(interval ? std::optional(interval->upper) : std::nullopt);
  }
  std::string text() const { return text_ + "\n"; }

 private:
  void add(const std::string& field) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += field;
  }
  std::string text_;
  bool first_ = true;
};

std::string line_of(const ReportInput& input, const PipelineArm& arm) {
  const ArmSummary& summary = arm.summary;
  const auto& common = summary.of_common;
  CsvLine line;
  line.name(summary.name);
  for (const char* key : kSettings) line.name(arm.setting(key));
  line.name(name_of_arm(input, arm.facts.reference));
  line.fraction(summary.fraction_of_reference, summary.fraction_interval);
  line.name(common ? name_of_arm(input, input.summary.common_reference) : "");
  line.fraction(common ? std::optional(common->fraction) : std::nullopt,
                common ? common->interval : std::nullopt);
  line.number(summary.wall_per_step);
  line.number(summary.images_per_s);
  for (const Phase phase : {Phase::kInputWait, Phase::kH2d}) {
    line.number(arm.phase(phase).cpu);
    line.number(arm.phase(phase).gpu);
  }
  const bool known = summary.instrumented;
  const LongWaits& waits = summary.long_waits;
  line.count(known ? std::optional(waits.count) : std::nullopt);
  line.number(known ? std::optional(waits.total) : std::nullopt);
  line.number(waits.count > 0 ? std::optional(waits.longest) : std::nullopt);
  const auto& rhythm = waits.rhythm;
  line.count(rhythm ? std::optional(rhythm->steps) : std::nullopt);
  line.count(rhythm ? std::optional(rhythm->intervals) : std::nullopt);
  line.count(rhythm ? std::optional(rhythm->of) : std::nullopt);
  line.name(trial_of(input.plan.config));
  return line.text();
}

}  // namespace

std::optional<std::string> render_input_csv(const ReportInput& input) {
  const std::vector<PipelineArm> arms = pipeline_arms(input);
  if (arms.empty()) return std::nullopt;
  std::string text = kHead;
  for (const PipelineArm& arm : arms) text += line_of(input, arm);
  return text;
}

}  // namespace traceml
