#pragma once

#include <string>
#include <vector>

#include "harness/analysis/history.h"
#include "harness/codec/past_report.h"

namespace traceml {

// "time +0.140 % a run [...], ...", or why no trend is told.
std::string creep_sentence(const RunSeries& series, const GateSeries& gate);

// "driver 580 -> 590; libtorch 2.11 -> 2.12"
std::string changes_text(const std::vector<FieldChange>& changes);

// "2026-11-29 18:15", of a run's creation time.
std::string minute_of(const std::string& utc);

// "CREEP (2 of 3 gates over 90 runs)", "NO CREEP (0 of 1 gate over 7 runs)", "NO GATES (1 run)".
std::string history_line(const std::vector<RunSeries>& history);

// Creep first, then each series: what changed in its fingerprint, and of each gate a chart and a
// table of its runs. `columns`: 80 or more.
std::string render_history(const std::vector<RunSeries>& history, const LeftOut& left_out,
                           int columns);

}  // namespace traceml
