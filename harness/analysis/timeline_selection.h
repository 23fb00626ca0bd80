#pragma once
// Which device work the figures are over. Always named in a report: half of the differences between
// tools are differences of this.

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/timeline.h"

namespace traceml {

enum class SelectionKind {
  kWhole,  // all device work of the file
  kSteps,  // launched from within the ProfilerStep ranges
  kHta     // as HolisticTraceAnalysis has it: launched before the last of two or more steps began
};

struct Step {
  std::string name;  // "ProfilerStep#7"
  TimeRange when;    // on the host
};

struct Selection {
  SelectionKind kind = SelectionKind::kWhole;
  std::vector<WorkIndex> work;  // ascending, and so by start
  std::vector<Step> steps;      // by time; of kHta without the last
  // kSteps: from the end of the last step on the host to the end of its work on the device.
  Nanos lag{0};
};

std::vector<Step> steps_of(const Timeline& timeline);

// Of `steps` by time: the one that holds `when`.
std::optional<std::size_t> step_at(const std::vector<Step>& steps, Nanos when);

// The host's time that a selection is about: from the first step's begin to the last one's end,
// else all that the trace has of the host.
TimeRange host_window(const Timeline& timeline, const Selection& selection);

// kSteps with at least one step, else kWhole.
SelectionKind usual_selection(const Timeline& timeline);

// kSteps of a trace without steps, and kHta of one with fewer than two, are the whole file.
Selection select_work(const Timeline& timeline, SelectionKind kind);

// Those that launched selected work.
std::set<ThreadIndex> launching_threads(const Timeline& timeline, const Selection& selection);

const char* name_of(SelectionKind kind);

}  // namespace traceml
