#pragma once
// What a reader of a trace's figures must know before any of them, in the text and on the page.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/trace_report.h"

namespace traceml {

struct TraceHead {
  std::vector<std::pair<std::string, std::string>> own;  // own_trace_facts
  std::string trace;                   // file without folders, rank, how much of what
  std::optional<std::string> devices;  // as the header names them
  std::string selected;
  std::string trust;
  std::vector<std::string> remarks;  // of the trust
  std::string found;                 // found_words
};

TraceHead trace_head(const TraceReport& report);

// "idle is a number".
std::string idle_words(const TraceReport& report);

// The findings' names where a person looks first: "late_batch 31.5 %, sync_in_loop 4.0 %". Shares
// are of the span. Empty without findings.
std::string found_words(const std::vector<TraceFinding>& findings);

// The sentence that stands for findings where there are none.
std::string nothing_found(const TraceReport& report);

}  // namespace traceml
