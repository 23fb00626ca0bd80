#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>

#include "harness/analysis/rank_traces.h"
#include "harness/analysis/step_lanes.h"
#include "harness/analysis/trace_against.h"
#include "harness/analysis/trace_findings.h"
#include "harness/app/commands.h"
#include "harness/app/finished_run.h"
#include "harness/app/output_file.h"
#include "harness/app/run_traces.h"
#include "harness/app/terminal_style.h"
#include "harness/codec/atomic_file.h"
#include "harness/codec/kineto_trace.h"
#include "harness/codec/trace_json.h"
#include "harness/core/error.h"
#include "harness/reports/html/html.h"
#include "harness/reports/rank_trace_text.h"
#include "harness/reports/trace_text.h"

namespace traceml {
namespace {

TraceOptions options_of(const ExplainArguments& arguments) {
  TraceOptions options;
  for (const SelectionKind kind :
       {SelectionKind::kWhole, SelectionKind::kSteps, SelectionKind::kHta}) {
    if (arguments.selection == name_of(kind)) options.selection = kind;
  }
  if (arguments.long_gap_ms) {
    options.long_gap = std::chrono::duration_cast<Nanos>(Millis{*arguments.long_gap_ms});
  }
  if (arguments.rows) options.most_rows = static_cast<std::size_t>(*arguments.rows);
  return options;
}

Timeline read_timeline(const std::string& file) {
  return make_timeline(read_kineto_trace(file));
}

// The rank of each trace: asked for, else of the file's header, else of its name.
std::vector<int> ranks_of(const ExplainArguments& arguments,
                          const std::vector<Timeline>& timelines) {
  std::vector<int> ranks = arguments.ranks;
  for (std::size_t i = ranks.size(); i < timelines.size(); ++i) {
    auto rank = timelines[i].events.rank;
    if (!rank) rank = rank_in_file_name(arguments.traces[i]);
    if (!rank) {
      throw UsageError(fmt::format(
          "{}: neither its header nor its name tells the rank; give the ranks of all traces with "
          "--rank, in the order of the files",
          arguments.traces[i]));
    }
    ranks.push_back(*rank);
  }
  if (std::set<int>(ranks.begin(), ranks.end()).size() < ranks.size()) {
    throw UsageError(
        "two of the traces are of one rank; give each rank's once, or say with --rank "
        "which is which");
  }
  return ranks;
}

void check(const ExplainArguments& arguments) {
  const std::size_t traces = arguments.traces.size();
  if (!arguments.ranks.empty() && arguments.ranks.size() != traces) {
    throw UsageError(fmt::format("--rank names {} ranks, but there are {} traces",
                                 arguments.ranks.size(), traces));
  }
  if (!arguments.against.empty() && traces > 1) {
    throw UsageError("--against compares one trace with one: give one rank's, of both jobs");
  }
}

std::string page_of(const std::vector<Timeline>& timelines, const std::vector<TraceReport>& reports,
                    const std::optional<RankTraces>& ranks,
                    const std::optional<TraceComparison>& against) {
  std::vector<TraceLanes> lanes(reports.size());
  const std::vector<std::size_t> in_full = traces_in_full(reports);
  for (const std::size_t i : in_full) {
    lanes[i] = step_lanes(timelines[i], reports[i], lane_limits(in_full.size()));
  }
  return render_trace_html({reports, lanes, ranks, against});
}

// RUN_DIR stands for the traces in it; of the run that is compared with, that of the same rank.
// Returns what the run says of its traces.
std::optional<RunOfTrace> open_run_folders(ExplainArguments* arguments) {
  std::optional<RunOfTrace> run;
  const bool folder =
      std::any_of(arguments->traces.begin(), arguments->traces.end(),
                  [](const auto& path) { return std::filesystem::is_directory(path); });
  if (folder && arguments->traces.size() > 1) {
    throw UsageError("explain reads the traces of one run: give one folder, or trace files");
  }
  if (arguments->cycle && !folder) {
    throw UsageError("--cycle chooses among the traces of a run; give its folder");
  }
  if (folder) {
    const std::string dir = arguments->traces.front();
    const FinishedRun finished = read_finished_run(dir, true, RunTracesWanted::kNone);
    run = run_of_trace(finished.plan, finished.info.environment, finished.summary);
    arguments->traces = trace_files_of(dir, arguments->cycle);
  }
  if (std::filesystem::is_directory(arguments->against)) {
    arguments->against = trace_files_of(arguments->against, arguments->cycle).front();
    if (folder) arguments->traces.resize(1);  // rank 0 against rank 0
  }
  return run;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

int explain_command(const ExplainArguments& given) {
  ExplainArguments arguments = given;
  const std::optional<RunOfTrace> run = open_run_folders(&arguments);
  check(arguments);
  std::vector<std::string> inputs = arguments.traces;
  inputs.push_back(arguments.against);
  refuse_to_overwrite("--json", arguments.json, inputs);
  refuse_to_overwrite("--html", arguments.html, inputs);
  TraceOptions options = options_of(arguments);
  options.run = run;
  const TerminalStyle style = style_of_stdout();
  std::vector<Timeline> timelines;
  for (const std::string& file : arguments.traces) timelines.push_back(read_timeline(file));
  std::optional<Timeline> before;
  if (!arguments.against.empty()) before = read_timeline(arguments.against);
  std::vector<int> ranks = arguments.ranks;
  if (timelines.size() > 1) ranks = ranks_of(arguments, timelines);

  std::vector<TraceReport> reports;
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    if (i < ranks.size()) timelines[i].events.rank = ranks[i];
    reports.push_back(explain_timeline(timelines[i], options, arguments.traces[i]));
    print(timelines.size() > 1 ? render_trace_brief(reports.back(), style) + "\n"
                               : render_trace(reports.back(), style));
  }
  std::optional<RankTraces> together;
  if (timelines.size() > 1) {
    std::vector<const Timeline*> all;
    for (const Timeline& timeline : timelines) all.push_back(&timeline);
    together = explain_ranks(all, ranks);
    if (run) use_checks_of_run(*run, &together->findings);
    print(render_ranks(*together, style));
  }
  std::optional<TraceComparison> against;
  if (before) {
    against = compare_traces(*before, timelines.front(), arguments.against);
    print("\n" + render_against(*against, options.most_rows, style));
  }
  if (!arguments.json.empty()) {
    write_file_atomically(arguments.json, trace_json(reports, together, against));
  }
  if (!arguments.html.empty()) {
    write_file_atomically(arguments.html, page_of(timelines, reports, together, against));
  }
  std::fflush(stdout);
  return value_of(ExitCode::kPass);
}

}  // namespace traceml
