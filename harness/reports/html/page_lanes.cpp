#include "harness/reports/html/page_data.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

// A template's arguments may fill pages; the tables have the whole name.
constexpr int kNameColumns = 160;

// [kind, start, length, name] of one event, [kind, start, length, null, events, busy] of merged
// ones; ns. They are many, so they have no keys.
void write_bar(const LaneBar& bar, JsonWriter* json) {
  json->begin_array();
  json->value(static_cast<int>(bar.kind));
  json->value(bar.when.begin.count());
  json->value((bar.when.end - bar.when.begin).count());
  json->value(bar.name);
  if (bar.events > 1) {
    json->value(bar.events);
    json->value(bar.busy.count());
  }
  json->end_array();
}

void write_lane(const Lane& lane, JsonWriter* json) {
  json->begin_object();
  json->member("device", lane.device);
  json->member("name", lane.name);
  json->member("launches", lane.launches);
  json->member("loads", lane.loads);
  json->key("bars");
  json->begin_array();
  for (const LaneBar& bar : lane.bars) write_bar(bar, json);
  json->end_array();
  json->end_object();
}

void write_gap(const LaneGap& gap, JsonWriter* json) {
  json->begin_object();
  json->member("device", gap.device);
  json->member("start_ns", gap.when.begin.count());
  json->member("length_ns", (gap.when.end - gap.when.begin).count());
  json->member("cause", gap.cause ? std::optional(name_of(*gap.cause)) : std::nullopt);
  json->member("before", gap.before);
  json->member("after", gap.after);
  json->end_object();
}

void write_step(const StepLanes& step, JsonWriter* json) {
  json->begin_object();
  json->member("step", step.step);
  json->member("idle_ns", step.idle ? std::optional(step.idle->count()) : std::nullopt);
  json->member("begin_ns", step.begin.count());
  json->member("length_ns", step.length.count());
  json->member("left_out_lanes", step.left_out_lanes);
  json->key("lanes");
  json->begin_array();
  for (const Lane& lane : step.lanes) write_lane(lane, json);
  json->end_array();
  json->member("left_out_gaps", step.left_out_gaps);
  json->key("gaps");
  json->begin_array();
  for (const LaneGap& gap : step.gaps) write_gap(gap, json);
  json->end_array();
  json->end_object();
}

}  // namespace

void write_lanes(const TraceLanes& lanes, JsonWriter* json) {
  json->key("lanes");
  json->begin_object();
  json->member("all_steps", lanes.all_steps);
  json->member("longest", lanes.limits.longest);
  json->member("nearness", lanes.limits.nearness);
  json->key("kinds");
  json->begin_array();
  for (std::size_t i = 0; i < kBarKinds; ++i) json->value(name_of(static_cast<BarKind>(i)));
  json->end_array();
  json->key("names");
  json->begin_array();
  for (const std::string& name : lanes.names)
    json->value(shortened(plain_text(name), kNameColumns));
  json->end_array();
  json->key("steps");
  json->begin_array();
  for (const StepLanes& step : lanes.steps) write_step(step, json);
  json->end_array();
  json->end_object();
}

}  // namespace traceml
