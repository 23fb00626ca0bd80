// A run.json, or TraceML's final_summary.json, as `compare` reads it, alone and as six launches,
// and as `history` does.

#include <string>
#include <vector>

#include "harness/analysis/run_set.h"
#include "harness/codec/past_report.h"
#include "harness/codec/stored_run.h"
#include "harness/core/error.h"
#include "harness/reports/compare_text.h"
#include "harness/reports/history_text.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace traceml;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const char* arm : {"", "shipped"}) {
    try {
      const StoredRun run = stored_run_of_text(text, "a.json", arm);
      for (const std::size_t launches : {1U, 6U}) {
        const std::vector<StoredRun> runs(launches, run);
        const RunSetRule rule;
        const RunSetComparison comparison = compare_run_sets(runs, runs, rule);
        render_compare({runs, runs, rule, comparison}, {});
      }
      break;  // the same file by another arm would be judged alike
    } catch (const Error&) {
    }
  }
  try {
    const std::vector<PastReport> runs(7, past_report_of_text(text, "a.json"));
    const std::vector<RunSeries> history = history_of(runs, {});
    render_history(history, {}, 80);
    write_history_json(history, {});
  } catch (const Error&) {
  }
  return 0;
}
