#pragma once
// What can be said beside a trace that this harness made of its own run: what tracing cost, and
// which phase launched the kernels, against the event clock of the same steps.

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/timeline_selection.h"

namespace traceml {

// The run that the trace belongs to, as its raw files tell it.
struct RunOfTrace {
  std::optional<Millis> bare_step;  // wall per step of the arm's measured windows
  std::string bare_arm;             // of those: the arm without hooks, where the run has it
  std::vector<std::pair<std::string, std::string>> settings;  // ArmFacts::settings, the run's
  std::string arm{};                                          // its name
  std::set<std::string> arms_own_keys{};  // keys that it sets itself: "input.workers"
  std::string arithmetic{};  // "MFU 48.1 % ...", of the measured step; empty: not known
};

// A phase's device work by the calls that launched it, and the event clock's word for it.
struct PhaseCheck {
  std::string phase;
  Nanos span{0};                // first start to last end, sum over steps
  Nanos kernels{0};             // sum of its kernels
  std::optional<Nanos> events;  // between its events, sum over steps; null: a step lacks it
};

struct OwnTraceFigures {
  OwnTraceFacts facts;
  std::int64_t steps = 0;
  // From the first step's begin to the end of the last one or of its work, by step.
  std::optional<Nanos> step;    // null without steps
  std::optional<double> ratio;  // to the bare step
  Nanos kernels{0};             // all selected ones
  Nanos attributed{0};          // of them: launched from within a phase
  bool graphs = false;          // some were nodes of a graph: its launch is no phase
  std::vector<PhaseCheck> phases;
  // Forward, loss, backward and optimizer as one: span from the first start to the last end of each
  // step without the exchange between two phases, the part of it in kernels, copies and gaps below
  // a millisecond, and the event clock's sum.
  Nanos compute_span{0}, compute_explained{0};
  std::optional<Nanos> compute_events;
};

// Above it what a trace says holds for the traced steps alone.
inline constexpr double kDistortingRatio = 1.1;

// nullopt of a profiler's trace.
std::optional<OwnTraceFigures> own_trace_figures(const Timeline& timeline,
                                                 const Selection& selection,
                                                 const std::optional<RunOfTrace>& run);

// A command that could refute the cause; empty where there is none for it, or where the run has
// been made with just that setting.
std::string next_check_in_run(const std::string& cause, const RunOfTrace& run);

}  // namespace traceml
