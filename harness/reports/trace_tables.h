#pragma once
// The tables of one trace. Device times are on the device's clock, host times on the host's, both
// as the profiler aligned them.

#include <optional>

#include "harness/analysis/trace_report.h"
#include "harness/reports/table.h"

namespace traceml {

Table device_time_table(const TraceReport& report);
Table idle_class_table(const TraceReport& report);
Table idle_cause_table(const TraceReport& report);
Table stream_table(const TraceReport& report);
std::optional<Table> step_table(const TraceReport& report);
std::optional<Table> phase_table(const TraceReport& report);
Table kernel_table(const TraceReport& report);
std::optional<Table> copy_table(const TraceReport& report);
std::optional<Table> waiting_table(const TraceReport& report);
std::optional<Table> operator_table(const TraceReport& report);
std::optional<Table> silence_table(const TraceReport& report);
std::optional<Table> gap_event_table(const TraceReport& report);  // nullopt without long gaps
std::optional<Table> memory_table(const TraceReport& report);

}  // namespace traceml
