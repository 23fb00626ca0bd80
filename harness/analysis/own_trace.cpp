#include "harness/analysis/own_trace.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "harness/analysis/device_work.h"
#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

constexpr std::array kCompute = {Phase::kForward, Phase::kLoss, Phase::kBackward,
                                 Phase::kOptimizer};

bool is_compute(std::string_view name) {
  return std::any_of(kCompute.begin(), kCompute.end(),
                     [&](Phase phase) { return name_of(phase) == name; });
}

// The range of a phase from within which the work was launched.
std::optional<HostIndex> phase_of(const Timeline& timeline, WorkIndex work) {
  const auto launch = timeline.launch[work];
  if (!launch) return std::nullopt;
  if (const auto around = phase_around(timeline, *launch)) return around;
  const HostSpan& call = timeline.events.host[*launch];
  return phase_at(timeline, call.thread, call.start);
}

// Work of one step, in order of its start.
struct Extent {
  std::optional<TimeRange> all;
  Nanos long_gaps{0};
  Nanos exchange{0};  // of the gaps between phases: no part of them

  // `exchanged`: how much of the gap before the work counts as none.
  void add(const DeviceSpan& work, Nanos exchanged = Nanos{0}) {
    if (!all) {
      all = {work.start, work.end()};
      return;
    }
    const Nanos gap = work.start - all->end - exchanged;
    if (gap >= kRules.long_gap) long_gaps += gap;
    exchange += exchanged;
    all->end = std::max(all->end, work.end());
  }
  Nanos length() const { return all ? all->end - all->begin - exchange : Nanos{0}; }
};

// Forward through optimizer of one step. The exchange of gradients lies between two phases, where
// backward does not hide it.
struct Compute {
  Extent extent;
  std::string last_phase;

  void add(const DeviceSpan& work, const std::string& phase,
           const std::vector<TimeRange>& communications) {
    Nanos exchanged{0};
    if (phase != last_phase && extent.all && work.start > extent.all->end) {
      const TimeRange gap{extent.all->end, work.start};
      exchanged = gap.end - gap.begin - length_of(subtracted({gap}, communications));
    }
    extent.add(work, exchanged);
    last_phase = phase;
  }
};

class Figures {
 public:
  Figures(const Timeline& timeline, const Selection& selection)
      : timeline_(timeline), selection_(selection), compute_(selection.steps.size()) {
    figures_.facts = *timeline.events.facts.own;
    find_graph_borders();
    figures_.steps = static_cast<std::int64_t>(selection.steps.size());
  }

  OwnTraceFigures make(const std::optional<RunOfTrace>& run) {
    time_steps(run);
    find_communications();
    for (const WorkIndex work : selection_.work) add(work);
    add_phases();
    add_compute();
    return std::move(figures_);
  }

 private:
  void find_graph_borders() {
    for (const Phase phase : kAllPhases) {
      const auto& nodes = figures_.facts.graph_nodes_before[index_of(phase)];
      if (nodes) graph_borders_.emplace_back(*nodes, name_of(phase));
    }
    std::sort(graph_borders_.begin(), graph_borders_.end());
  }

  void find_communications() {
    std::vector<TimeRange> all;
    for (const WorkIndex index : selection_.work) {
      const DeviceSpan& work = timeline_.events.device[index];
      if (!is_communication(timeline_.name_of(work))) continue;
      all.push_back({work.start, work.end()});
    }
    communications_ = merged(std::move(all));
  }

  // A phase and the range of it in one step; of a graph its launch call stands for the range.
  struct Place {
    std::string name;
    HostIndex range;
  };

  std::optional<Place> place_of(WorkIndex index) {
    const DeviceSpan& work = timeline_.events.device[index];
    if (!work.graph_node) {
      const auto range = phase_of(timeline_, index);
      if (!range) return std::nullopt;
      return Place{std::string(timeline_.name_of(timeline_.events.host[*range])), *range};
    }
    figures_.graphs = true;
    constexpr std::int64_t kNodeBits = 0xFFFF'FFFF;
    const auto launch = timeline_.launch[index];
    const auto after =
        std::upper_bound(graph_borders_.begin(), graph_borders_.end(), *work.graph_node & kNodeBits,
                         [](std::int64_t node, const auto& border) { return node < border.first; });
    if (!launch || after == graph_borders_.begin()) return std::nullopt;
    return Place{std::string((after - 1)->second), *launch};
  }

  void time_steps(const std::optional<RunOfTrace>& run) {
    if (selection_.steps.empty()) return;
    const Nanos begin = selection_.steps.front().when.begin;
    const Nanos end = selection_.steps.back().when.end + std::max(selection_.lag, Nanos{0});
    figures_.step = (end - begin) / figures_.steps;
    if (!run || !run->bare_step || run->bare_step->count() <= 0) return;
    figures_.ratio = Millis(*figures_.step) / *run->bare_step;
  }

  void add(WorkIndex index) {
    const DeviceSpan& work = timeline_.events.device[index];
    const bool kernel = work.kind == DeviceKind::kKernel;
    if (kernel) figures_.kernels += work.duration;
    const auto phase = place_of(index);
    if (!phase) return;
    if (kernel) figures_.attributed += work.duration;
    const HostSpan& range = timeline_.events.host[phase->range];
    const std::string& name = phase->name;
    if (is_communication(timeline_.name_of(work))) return;  // beside the phase, on its own stream
    if (kernel) kernels_[name] += work.duration;
    extents_[name][phase->range].add(work);
    const auto step = step_at(selection_.steps, range.start);
    if (step && is_compute(name)) compute_[*step].add(work, name, communications_);
  }

  void add_phases() {
    for (const Phase phase : kAllPhases) {
      if (phase == Phase::kTraced) continue;  // the envelope of the others
      const auto found = extents_.find(std::string(name_of(phase)));
      const auto& events = figures_.facts.event_ns[index_of(phase)];
      if (found == extents_.end() && !events) continue;
      PhaseCheck check;
      check.phase = name_of(phase);
      if (events) check.events = Nanos{*events};
      if (found != extents_.end()) {
        for (const auto& [range, extent] : found->second) check.span += extent.length();
        check.kernels = kernels_[check.phase];
      }
      figures_.phases.push_back(std::move(check));
    }
  }

  void add_compute() {
    for (const Compute& one : compute_) {
      figures_.compute_span += one.extent.length();
      figures_.compute_explained += one.extent.length() - one.extent.long_gaps;
    }
    std::optional<Nanos> events = Nanos{0};
    for (const Phase phase : kCompute) {
      const auto& time = figures_.facts.event_ns[index_of(phase)];
      const bool occurs = phase != Phase::kLoss || extents_.contains(std::string(name_of(phase)));
      if (!time && occurs) events.reset();
      if (events && time) *events += Nanos{*time};
    }
    figures_.compute_events = events;
  }

  const Timeline& timeline_;
  const Selection& selection_;
  OwnTraceFigures figures_;
  std::map<std::string, std::map<HostIndex, Extent>> extents_;  // phase -> its ranges
  std::map<std::string, Nanos> kernels_;
  std::vector<Compute> compute_;                                          // by step
  std::vector<TimeRange> communications_;                                 // merged
  std::vector<std::pair<std::int64_t, std::string_view>> graph_borders_;  // by node
};

std::string setting(const RunOfTrace& run, const std::string& key) {
  for (const auto& [name, value] : run.settings) {
    if (name == key) return value;
  }
  return "";
}

// Twice what is set, at least `least`; nullopt where that is no number.
std::optional<std::string> doubled(const RunOfTrace& run, const std::string& key,
                                   std::int64_t least = 1) {
  const std::string text = setting(run, key);
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return std::to_string(std::max(2 * value, least));
}

// A key that the arm sets itself is set there, else at the top. Empty where the arm has that value
// already: the command would change nothing.
std::string run_with(const RunOfTrace& run, const std::string& key, const std::string& value,
                     const std::string& what_it_shows = "") {
  if (setting(run, key) == value) return "";
  const std::string where = run.arms_own_keys.contains(key) ? "arms." + run.arm + "." : "";
  return "traceml-bench run CONFIG --set " + where + key + "=" + value + what_it_shows;
}

std::string more_input(const RunOfTrace& run) {
  const std::string without = run_with(run, "input.source", "synthetic",
                                       ", which is the step "
                                       "without a loader");
  const auto workers = doubled(run, "input.workers");
  if (!workers || without.empty()) return without;
  return run_with(run, "input.workers", *workers) + "; then " + without;
}

}  // namespace

std::optional<OwnTraceFigures> own_trace_figures(const Timeline& timeline,
                                                 const Selection& selection,
                                                 const std::optional<RunOfTrace>& run) {
  if (!timeline.events.facts.own) return std::nullopt;
  return Figures(timeline, selection).make(run);
}

std::string next_check_in_run(const std::string& cause, const RunOfTrace& run) {
  if (cause == "late_batch") return more_input(run);
  if (cause == "blocking_copy") return run_with(run, "input.copy", "async");
  if (cause == "pageable_input") return run_with(run, "input.pinned", "true");
  if (cause == "sync_in_loop") return run_with(run, "input.source", "synthetic");
  if (cause == "small_kernels") return run_with(run, "workload.execution", "graph");
  if (cause == "graph_gaps") {
    const auto batch = doubled(run, "workload.batch_size");
    return batch ? run_with(run, "workload.batch_size", *batch) : "";
  }
  if (cause == "exposed_communication") return run_with(run, "workload.exchange", "none");
  if (cause == "slow_rank" || cause == "collective_skew") {
    return run_with(run, "workload.exchange", "none", ": each rank's own step");
  }
  if (cause == "allocator_in_loop" || cause == "long_host_call") {
    const std::string later = doubled(run, "trace.skip_first", 64).value_or("64");
    return run_with(run, "trace.skip_first", later, ": whether it is a matter of the first steps");
  }
  if (cause == "silent_thread") return run_with(run, "workload.cores", "share");
  return "";
}

}  // namespace traceml
