#include "harness/reports/html/page_data.h"

#include "harness/reports/arm_tables.h"
#include "harness/reports/command_text.h"
#include "harness/reports/device_table.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/input_table.h"
#include "harness/reports/pipeline_table.h"
#include "harness/reports/pooled_launch_table.h"
#include "harness/reports/scenario.h"
#include "harness/reports/sweep_report.h"

namespace traceml {
namespace {

void write_tables(const ReportInput& input, JsonWriter* json) {
  const CampaignSummary& summary = input.summary;
  json->key("tables");
  json->begin_object();
  write_table("arms", summary.commands ? command_table(input) : arm_table(summary), json);
  write_table("phases", phase_table(summary), json);
  write_table("exchange", all_reduce_table(summary), json);
  write_table("ranks", rank_table(summary), json);
  write_table("devices", device_table(input), json);
  write_table("sure", gate_statistics(input), json);
  write_table("launches", pooled_launch_table(input), json);
  write_table("pipelines", pipeline_table(input), json);
  write_table("loaders", input_table(input), json);
  if (summary.sweep) {
    write_table("sweep", sweep_table(*summary.sweep, summary, input.plan.facts), json);
    write_table("curve", curve_table(*summary.sweep, summary), json);
  }
  json->end_object();
}

}  // namespace

std::string page_data(const ReportInput& input) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", "traceml-bench/page/1");
  json.member("kind", "run");
  json.member("tool_version", input.info.tool_version);
  json.member("created_utc", input.info.created_utc);
  write_verdict(input, &json);
  write_sweep(input, &json);
  write_arms(input, &json);
  write_steps_over_time(input, &json);
  write_tables(input, &json);
  write_run_traces(input.traces, &json);
  write_sentences("warnings", warnings_of(input), &json);
  write_sentences("notes", notes_of(input), &json);
  json.end_object();
  return json.text();
}

}  // namespace traceml
