#include "harness/analysis/steps_over_time.h"
#include "harness/reports/html/page_data.h"

namespace traceml {
namespace {

void write_range(const char* name, const std::optional<Range>& range, JsonWriter* json) {
  json->key(name);
  if (!range) return json->null();
  json->begin_array();
  for (const double value : {range->min, range->mean, range->max}) json->rounded(value);
  json->end_array();
}

void write_window(const ReportInput& input, const RunWindow& window, JsonWriter* json) {
  json->begin_object();
  json->member("window", window.window.value);
  json->member("arm", input.plan.facts.arms.at(static_cast<std::size_t>(window.arm.value)).name);
  json->member("block", window.block);
  json->member("order", window.order);
  json->member("steps", window.steps);
  // What a command's launch costs is no time where its number has another unit.
  const ArmSummary& arm = input.summary.arms.at(static_cast<std::size_t>(window.arm.value));
  json->member("wall_ms", arm.wall_per_step ? window.wall : std::nullopt);
  json->member("void_reason", window.void_reason);
  write_range("queue_start", window.queue_start, json);
  write_range("queue_end", window.queue_end, json);
  json->member("loss_first", window.loss_first);
  json->member("loss_last", window.loss_last);
  json->member("allocated_peak_bytes", window.allocated_peak_bytes);
  json->member("reserved_peak_bytes", window.reserved_peak_bytes);
  write_range("sm_clock_mhz", window.sm_clock_mhz, json);
  write_range("power_w", window.power_w, json);
  write_range("temperature_c", window.temperature_c, json);
  json->member("throttle_reasons", window.throttle_reasons);
  json->end_object();
}

void write_marked(const char* name, const MarkedSteps& marked, JsonWriter* json) {
  json->key(name);
  json->begin_object();
  json->member("left_out", marked.left_out);
  json->key("steps");  // [place of the window, step, rank, ms]
  json->begin_array();
  for (const MarkedStep& step : marked.steps) {
    json->begin_array();
    json->value(step.window);
    json->value(step.step);
    json->value(step.rank.value);
    json->rounded(step.time.count());
    json->end_array();
  }
  json->end_array();
  json->end_object();
}

// [first window, first step, last window, last step, step min, mean, max, wait min, mean, max]
void write_bin(const StepBin& bin, JsonWriter* json) {
  json->begin_array();
  json->value(bin.first_window);
  json->value(bin.first_step);
  json->value(bin.last_window);
  json->value(bin.last_step);
  for (const std::optional<Range>& range : {bin.step, bin.wait}) {
    json->rounded(range ? std::optional(range->min) : std::nullopt);
    json->rounded(range ? std::optional(range->mean) : std::nullopt);
    json->rounded(range ? std::optional(range->max) : std::nullopt);
  }
  json->end_array();
}

template <typename End>
void write_cells(const char* name, const ArmSteps& arm, End end, JsonWriter* json) {
  json->key(name);
  json->begin_array();
  for (const std::optional<Interval>& cell : arm.cells) {
    json->rounded(cell ? std::optional(end(*cell)) : std::nullopt);
  }
  json->end_array();
}

bool has_one_step_a_cell(const ArmSteps& arm) {
  if (arm.ranks_per_row > 1) return false;
  for (const StepBin& bin : arm.bins) {
    if (bin.first_window != bin.last_window || bin.first_step != bin.last_step) return false;
  }
  return true;
}

void write_steps(const ReportInput& input, const ArmSteps& arm, JsonWriter* json) {
  json->begin_object();
  json->member("arm", input.plan.facts.arms.at(static_cast<std::size_t>(arm.arm.value)).name);
  json->member("clock", name_of(arm.clock));
  json->member("ranks_per_row", arm.ranks_per_row);
  json->key("ranks");
  json->begin_array();
  for (const Rank rank : arm.ranks) json->value(rank.value);
  json->end_array();
  json->key("bins");
  json->begin_array();
  for (const StepBin& bin : arm.bins) write_bin(bin, json);
  json->end_array();
  write_cells(
      "most", arm, [](const Interval& cell) { return cell.upper; }, json);
  if (has_one_step_a_cell(arm)) {
    json->key("least");  // the same
    json->null();
  } else {
    write_cells(
        "least", arm, [](const Interval& cell) { return cell.lower; }, json);
  }
  json->key("fences");
  json->begin_array();
  json->rounded(arm.fences ? std::optional(arm.fences->lower) : std::nullopt);
  json->rounded(arm.fences ? std::optional(arm.fences->upper) : std::nullopt);
  json->end_array();
  write_marked("outliers", arm.outliers, json);
  write_marked("long_waits", arm.long_waits, json);
  json->end_object();
}

}  // namespace

void write_steps_over_time(const ReportInput& input, JsonWriter* json) {
  json->key("windows");
  json->begin_array();
  for (const RunWindow& window : input.summary.steps_over_time.windows) {
    write_window(input, window, json);
  }
  json->end_array();
  json->key("steps");
  json->begin_array();
  for (const ArmSteps& arm : input.summary.steps_over_time.arms) write_steps(input, arm, json);
  json->end_array();
}

}  // namespace traceml
