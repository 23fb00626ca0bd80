#pragma once
// The figures of the page as JSON: what the raw files hold and nothing else.

#include <optional>
#include <string>
#include <vector>

#include "harness/reports/compare_text.h"
#include "harness/reports/history_text.h"
#include "harness/reports/html/json_writer.h"
#include "harness/reports/html/page.h"
#include "harness/reports/report_input.h"
#include "harness/reports/run_traces.h"
#include "harness/reports/selfcheck_text.h"
#include "harness/reports/trace_page.h"

namespace traceml {

// One line; page/*.js reads it. Times are in ms, of a trace in ns, and memory in bytes, as the keys
// say.
std::string page_data(const ReportInput& input);
std::string compare_page_data(const CompareInput& input);             // page_compare.cpp
std::string history_page_data(const std::vector<RunSeries>& history,  // page_history.cpp
                              const LeftOut& left_out);

std::string selfcheck_page_data(const SelfcheckReport& report);  // page_selfcheck.cpp
std::string trace_page_data(const TracePageInput& input);        // page_trace.cpp

// Part of a trace's, as a member of the object that is open.
void write_lanes(const TraceLanes& lanes, JsonWriter* json);  // page_lanes.cpp

// "trace": what a run's page has of its traces; null without any.
void write_run_traces(const RunTraces* traces, JsonWriter* json);  // page_trace.cpp

// Parts of a run's, each as members of the object that is open.
void write_verdict(const ReportInput& input, JsonWriter* json);          // page_verdict.cpp
void write_arms(const ReportInput& input, JsonWriter* json);             // page_arms.cpp
void write_sweep(const ReportInput& input, JsonWriter* json);            // page_sweep.cpp
void write_steps_over_time(const ReportInput& input, JsonWriter* json);  // page_steps_over_time.cpp

}  // namespace traceml
