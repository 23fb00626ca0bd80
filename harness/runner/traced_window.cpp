#include "harness/runner/traced_window.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "harness/codec/atomic_file.h"
#include "harness/codec/run_trace_file.h"
#include "harness/core/error.h"
#include "harness/runner/add_operators.h"
#include "harness/runner/watched_ports.h"

namespace traceml {
namespace {

std::string step_name(std::int64_t step) {
  return fmt::format("ProfilerStep#{}", step);
}

// The epoch of a virtual clock is 0 on all ranks and stands: equal runs have equal files.
Nanos base_of(const LoopPorts& ports) {
  const bool is_virtual = ports.wall != nullptr && ports.wall != &ports.clock;
  return is_virtual ? Nanos{0} : unix_base(ports.clock);
}

// Without a collector the training thread alone is known.
TimelineEvents host_alone(const LoopPorts& ports) {
  TimelineEvents events;
  events.base = base_of(ports);
  events.threads.push_back({"0", std::to_string(::gettid()), "training"});
  events.facts.own.emplace();
  return events;
}

// Of each phase that occurred, over all steps.
std::array<std::optional<std::int64_t>, kPhaseCount> event_sums(
    const std::vector<StepRecord>& steps) {
  std::array<std::optional<std::int64_t>, kPhaseCount> sums;
  for (const Phase phase : kAllPhases) {
    const std::size_t p = index_of(phase);
    bool complete = true;
    std::int64_t sum = 0;
    bool occurs = false;
    for (const StepRecord& step : steps) {
      if (!step.phases[p]) continue;
      occurs = true;
      complete = complete && step.phases[p]->device.has_value();
      if (step.phases[p]->device) sum += step.phases[p]->device->count();
    }
    if (occurs && complete) sums[p] = sum;
  }
  return sums;
}

void make_folder(const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) throw RunError(fmt::format("cannot make the folder {}: {}", dir, error.message()));
}

class Names {
 public:
  explicit Names(std::vector<std::string>* names) : names_(*names) {}

  NameIndex of(std::string_view name) {
    const auto found = std::find(names_.begin() + kept_, names_.end(), name);
    if (found != names_.end()) return static_cast<NameIndex>(found - names_.begin());
    names_.emplace_back(name);
    return static_cast<NameIndex>(names_.size() - 1);
  }

 private:
  std::vector<std::string>& names_;
  std::ptrdiff_t kept_ = std::ssize(names_);  // of the collector; few are added
};

}  // namespace

TracedWindow::TracedWindow(const Plan& plan, Nanos drain, const LoopPorts& ports,
                           ActivityTrace* activities, OperatorTrace* operators)
    : plan_(plan),
      trace_(*plan.trace),
      drain_(drain),
      ports_(ports),
      activities_(activities),
      operators_(operators),
      recorder_(ports.clock, static_cast<std::size_t>(trace_.longest_stretch()),
                &ports.position.phase()) {
  begins_.reserve(static_cast<std::size_t>(trace_.longest_stretch()) + 1);
}

std::vector<RunTrace> TracedWindow::run(std::int64_t first_batch) {
  ports_.position.enter_arm(trace_.arm, std::nullopt);
  ports_.position.enter(Stage::kBegin);
  ports_.workload.begin(trace_.arm, first_batch, Instrument::kEvents);
  for (const TraceStretch& stretch : trace_.stretches()) run_stretch(stretch);
  ports_.position.enter(Stage::kEnd);
  ports_.workload.end();
  ports_.workload.take_collectives();
  add_inputs();
  return std::move(traces_);
}

void TracedWindow::run_stretch(const TraceStretch& stretch) {
  const bool active = stretch.action == TraceAction::kActive;
  switch_tracing(stretch);
  if (active && operators_ != nullptr) operators_->begin(stretch.count);
  recorder_.begin_window(ports_.device, ports_.workload.training_queue());
  std::optional<EventSampler> sampler;
  if (ports_.device != nullptr) {
    HostClock& wall = ports_.wall == nullptr ? ports_.clock : *ports_.wall;
    sampler.emplace(*ports_.device, wall, recorder_);
  }
  run_steps(stretch);
  ports_.position.enter(Stage::kFinish);
  {
    std::optional<WaitScope> waiting;
    if (ports_.transport.world_size() > 1) waiting.emplace(ports_.position);
    ports_.workload.finish();
  }
  if (active) {
    ports_.position.enter(Stage::kStore);  // reading many records is no step that hangs
    traces_.push_back({.rank = ports_.transport.rank(),
                       .world_size = ports_.transport.world_size(),
                       .events = {},
                       .steps = {},
                       .step_ends = {},
                       .inputs = {}});
    std::optional<OperatorEvents> operators;
    if (operators_ != nullptr) operators = operators_->end();
    traces_.back().events = take_activities();
    if (operators) add_operators(*operators, &traces_.back());
  }
  std::vector<PhaseTimes> device_times;
  if (sampler) {
    sampler->drain(drain_);
    device_times = sampler->times();
  }
  if (active) keep(stretch, device_times);
}

// A collector that fails once is not asked again: the steps go on, so that no other rank waits.
void TracedWindow::switch_tracing(const TraceStretch& stretch) {
  if (activities_ == nullptr || !fault_.empty()) return;
  try {
    if (stretch.action == TraceAction::kWarmup) activities_->warm_up();
    if (stretch.action == TraceAction::kActive) activities_->begin();
  } catch (const RunError& error) {
    fault_ = error.what();
  }
}

void TracedWindow::run_steps(const TraceStretch& stretch) {
  begins_.clear();
  ports_.position.at_step(stretch.first);
  ports_.position.enter(Stage::kStep);
  for (std::int64_t step = stretch.first; step < stretch.first + stretch.count; ++step) {
    ports_.position.at_step(step);
    begins_.push_back(ports_.clock.now());
    recorder_.begin_step();
    ports_.workload.step(&recorder_);
    recorder_.leave();
    recorder_.end_step(ports_.workload.take_memory_peaks());
  }
  begins_.push_back(ports_.clock.now());
}

TimelineEvents TracedWindow::take_activities() {
  if (activities_ == nullptr || !fault_.empty()) return host_alone(ports_);
  try {
    return activities_->end();
  } catch (const RunError& error) {
    fault_ = error.what();
    return host_alone(ports_);
  }
}

void TracedWindow::keep(const TraceStretch& stretch, const std::vector<PhaseTimes>& device_times) {
  RunTrace& trace = traces_.back();
  OwnTraceFacts& own = *trace.events.facts.own;
  const ArmFacts& arm = plan_.facts.arms[static_cast<std::size_t>(trace_.arm.value)];
  own.arm = arm.name;
  own.cycle = stretch.cycle;
  own.first_step = stretch.first;
  own.queue_capacity = arm.queue_capacity;
  trace.events.rank = trace.rank.value;
  trace.events.world_size = trace.world_size;
  trace.steps = recorder_.records(trace_.arm, std::nullopt, stretch.first,
                                  stretch.first + stretch.count, device_times);
  own.event_ns = event_sums(trace.steps);
  for (const GraphBorder& border : ports_.workload.graph_borders()) {
    own.graph_nodes_before[index_of(border.phase)] = border.nodes_before;
  }
  add_ranges(&trace);
}

// Steps and phases as ranges of the training thread. A phase that a captured graph passes has no
// host time.
void TracedWindow::add_ranges(RunTrace* trace) const {
  Names names(&trace->events.names);
  const auto add = [&](std::string_view name, Nanos from, Nanos to) {
    HostSpan span;
    span.start = from;
    span.duration = to - from;
    span.name = names.of(name);
    span.kind = HostKind::kAnnotation;
    trace->events.host.push_back(span);
  };
  const std::int64_t first = trace->events.facts.own->first_step;
  for (std::size_t i = 0; i < recorder_.published_steps(); ++i) {
    add(step_name(first + static_cast<std::int64_t>(i)), begins_[i], begins_[i + 1]);
    trace->step_ends.push_back(begins_[i + 1]);
    for_each_span(recorder_, recorder_.step(i),
                  [&](Phase phase, std::uint32_t from, std::uint32_t to) {
                    const auto begin = recorder_.border(from).host;
                    const auto end = recorder_.border(to).host;
                    if (phase != Phase::kTraced && begin && end) add(name_of(phase), *begin, *end);
                  });
  }
}

// Each trace gets the batches of which a part lies in it.
void TracedWindow::add_inputs() {
  for (const InputRecord& record : ports_.workload.take_input_records()) {
    for (RunTrace& trace : traces_) {
      if (trace.step_ends.empty()) continue;
      const Nanos begin =
          trace.steps.empty() ? trace.step_ends.front() : trace.steps.front().start_host;
      if (record.taken >= begin && record.begun <= trace.step_ends.back()) {
        trace.inputs.push_back(record);
      }
    }
  }
}

std::string store_traces(const std::vector<RunTrace>& traces, Transport& transport,
                         const std::string& dir) {
  const bool root = transport.rank() == Rank{0};
  std::string fault;
  const auto write = [&](const auto& what) {
    if (!root || !fault.empty()) return;
    try {
      what();
    } catch (const RunError& error) {
      fault = error.what();
    }
  };
  write([&] { make_folder(dir); });
  for (const RunTrace& trace : traces) {
    const std::vector<std::string> files = transport.gather(pack_run_trace(trace));
    for (std::size_t rank = 0; rank < files.size(); ++rank) {
      const std::string name =
          run_trace_name(Rank{static_cast<int>(rank)}, trace.events.facts.own->cycle);
      write([&] { write_file_atomically(dir + "/" + name, files[rank]); });
    }
  }
  return fault;
}

}  // namespace traceml
