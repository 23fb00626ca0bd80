#pragma once
// Steps that are traced, after all that is measured: every activity of the device and its calls,
// the phases that the training thread marks, and the loader's batches. Nothing of it is judged.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/run_trace.h"
#include "harness/plan/plan.h"
#include "harness/ports/activity_trace.h"
#include "harness/ports/operator_trace.h"
#include "harness/runner/event_sampler.h"
#include "harness/runner/step_loop.h"
#include "harness/runner/step_recorder.h"

namespace traceml {

class TracedWindow {
 public:
  // `plan.trace` is set. `activities` may be null: then host times alone are kept; `operators`:
  // then none are. All arguments outlive this. `drain`: how long marks are queried after a stretch
  // of steps.
  TracedWindow(const Plan& plan, Nanos drain, const LoopPorts& ports, ActivityTrace* activities,
               OperatorTrace* operators = nullptr);

  // Collective. One trace a cycle of the schedule. `first_batch` as of a window.
  std::vector<RunTrace> run(std::int64_t first_batch);

  // Why device activities are missing, one sentence; empty: they are not.
  const std::string& fault() const { return fault_; }

 private:
  void run_stretch(const TraceStretch& stretch);
  void switch_tracing(const TraceStretch& stretch);
  void run_steps(const TraceStretch& stretch);
  void keep(const TraceStretch& stretch, const std::vector<PhaseTimes>& device_times);
  TimelineEvents take_activities();
  void add_ranges(RunTrace* trace) const;
  void add_inputs();

  const Plan& plan_;
  const TracePlan& trace_;
  Nanos drain_;
  LoopPorts ports_;
  ActivityTrace* activities_;
  OperatorTrace* operators_;
  StepRecorder recorder_;
  std::vector<Nanos> begins_;  // of the stretch's steps, and the end of the last one
  std::vector<RunTrace> traces_;
  std::string fault_;
};

// Collective. Writes what all ranks have traced into `dir` on rank 0, which makes it; one file a
// rank and cycle. Returns there why not all of it could be written, in one sentence: what was
// measured is worth more than its trace.
std::string store_traces(const std::vector<RunTrace>& traces, Transport& transport,
                         const std::string& dir);

}  // namespace traceml
