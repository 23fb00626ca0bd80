#pragma once

#include <string>
#include <vector>

#include "harness/reports/trace_page.h"
#include "tests/analysis/trace_script.h"

namespace traceml::testing {

// A job with something in each table: a late batch, a read of the loss, an exchange, a thread that
// freezes beside another one, pageable labels.
TraceScript busy_job(int steps = 18);

// A rank of it, as the reader gives it.
Timeline timeline_of(const TraceScript& script, int rank = 0);
TraceReport report_of(const TraceScript& script, const TraceOptions& options = {});

// What a page of one rank for each timeline is made of.
struct TraceSample {
  std::vector<TraceReport> reports;
  std::vector<TraceLanes> lanes;
  std::optional<RankTraces> ranks;
  std::optional<TraceComparison> against;

  TracePageInput input() const { return {reports, lanes, ranks, against}; }
};
TraceSample trace_sample(const std::vector<Timeline>& timelines);

// Events with names that try to break out of a page.
TraceScript hostile_job();

}  // namespace traceml::testing
