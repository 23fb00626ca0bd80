#include "harness/analysis/idle_causes.h"

#include <algorithm>

#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

std::size_t index_of(IdleCause cause) {
  return static_cast<std::size_t>(cause);
}

// The end of the last work that each call caused.
std::vector<std::optional<Nanos>> work_ends(const Timeline& timeline) {
  std::vector<std::optional<Nanos>> ends(timeline.events.host.size());
  for (WorkIndex work = 0; work < timeline.events.device.size(); ++work) {
    const auto launch = timeline.launch[work];
    if (!launch) continue;
    auto& end = ends[*launch];
    const Nanos own = timeline.events.device[work].end();
    end = end ? std::max(*end, own) : own;
  }
  return ends;
}

// Cuts one gap into parts.
class GapCut {
 public:
  GapCut(const Timeline& timeline, const Situations& situations, const Gap& gap)
      : timeline_(timeline), situations_(situations), gap_(gap) {}

  GapCauses cut() {
    if (!gap_.launch) {
      add(IdleCause::kNotRecorded, gap_.length());
    } else if (same_graph()) {
      add(IdleCause::kInGraph, gap_.length());
    } else {
      cut_at_launch();
    }
    return causes_;
  }

 private:
  void add(IdleCause cause, Nanos time) { causes_.parts[index_of(cause)] += time; }

  const HostSpan& launch() const { return timeline_.events.host[*gap_.launch]; }

  bool same_graph() const {
    return is_graph_launch(timeline_.name_of(launch())) &&
           timeline_.launch[gap_.before] == gap_.launch;
  }

  void cut_at_launch() {
    const Nanos called = std::clamp(launch().start, gap_.when.begin, gap_.when.end);
    const Nanos returned = std::clamp(launch().end(), called, gap_.when.end);
    before_launch({gap_.when.begin, called});
    if (is_graph_launch(timeline_.name_of(launch()))) {
      add(IdleCause::kBeforeGraph, gap_.when.end - called);
      return;
    }
    in_launch({called, returned});
    after_launch(gap_.when.end - returned);
  }

  // What it did while the device was already idle. Ordinary work that follows a wait for the device
  // is the wait's doing: the queue was empty because of it.
  void before_launch(const TimeRange& window) {
    const IdleCause work = cause_of_work();
    for (const Stretch& stretch : stretches_of(timeline_, *gap_.thread, window)) {
      for (const Stretch& part : seen_from_main(stretch)) {
        const IdleCause cause = situations_.of(part);
        add(cause == IdleCause::kHostWork ? work : cause, part.when.end - part.when.begin);
      }
    }
  }

  // An idle thread (autograd's, between two backward passes) waits for the main one.
  std::vector<Stretch> seen_from_main(const Stretch& stretch) const {
    const auto main = timeline_.main_thread;
    if (stretch.innermost || !main || main == gap_.thread) return {stretch};
    return stretches_of(timeline_, *main, stretch.when);
  }

  IdleCause cause_of_work() const {
    auto open = open_at(timeline_, *gap_.thread, gap_.when.begin);
    if (!open && timeline_.main_thread) {
      open = open_at(timeline_, *timeline_.main_thread, gap_.when.begin);
    }
    const auto call = innermost_of(timeline_, open, HostKind::kCall);
    if (!call || !situations_.waits(*call)) return IdleCause::kHostWork;
    return situations_.of({gap_.when, call});
  }

  void in_launch(const TimeRange& window) {
    const Nanos time = window.end - window.begin;
    add(time >= kRules.long_call ? IdleCause::kLongCall : IdleCause::kHostWork, time);
  }

  void after_launch(Nanos time) {
    add(time < kRules.queued_gap ? IdleCause::kQueued : IdleCause::kUnexplained, time);
  }

  const Timeline& timeline_;
  const Situations& situations_;
  const Gap& gap_;
  GapCauses causes_;
};

}  // namespace

const char* name_of(IdleCause cause) {
  switch (cause) {
    case IdleCause::kInput:
      return "waiting for input";
    case IdleCause::kSynchronising:
      return "after a synchronising call";
    case IdleCause::kBlockingCopy:
      return "in or after a blocking copy";
    case IdleCause::kMemoryCall:
      return "allocating or freeing memory";
    case IdleCause::kLongCall:
      return "in a long CUDA call";
    case IdleCause::kProfiler:
      return "profiler at work";
    case IdleCause::kSilent:
      return "thread recorded nothing";
    case IdleCause::kHostWork:
      return "host issuing work";
    case IdleCause::kInGraph:
      return "inside a graph";
    case IdleCause::kBeforeGraph:
      return "before a graph";
    case IdleCause::kQueued:
      return "between queued work";
    case IdleCause::kNotRecorded:
      return "launch not recorded";
    case IdleCause::kNotSelected:
      return "at work that is not selected";
    case IdleCause::kUnexplained:
      break;
  }
  return "unexplained";
}

Situations::Situations(const Timeline& timeline) : timeline_(timeline) {
  const auto& host = timeline.events.host;
  const auto ends = work_ends(timeline);
  causes_.reserve(host.size());
  for (HostIndex i = 0; i < host.size(); ++i) {
    const std::string_view name = timeline.name_of(host[i]);
    const auto parent = timeline.parent[i];
    const IdleCause around = parent ? causes_[*parent] : IdleCause::kHostWork;
    IdleCause cause = IdleCause::kHostWork;
    if (host[i].kind == HostKind::kOverhead) {
      cause = IdleCause::kProfiler;
    } else if (host[i].kind == HostKind::kCall) {
      const bool done = ends[i] && *ends[i] <= host[i].end();
      const bool inner = parent && host[*parent].kind == HostKind::kCall;
      if (is_synchronising(name)) {
        cause = IdleCause::kSynchronising;
      } else if (is_copy_call(name) && done) {
        cause = IdleCause::kBlockingCopy;
      } else if (is_memory_call(name)) {
        cause = IdleCause::kMemoryCall;
      } else if (inner && around != IdleCause::kHostWork) {
        cause = around;  // the driver's part of a runtime call
      } else if (host[i].duration >= kRules.long_call) {
        cause = IdleCause::kLongCall;
      } else if (around == IdleCause::kInput) {
        cause = around;
      }
    } else if (is_input(name) || around == IdleCause::kInput) {
      cause = IdleCause::kInput;
    }
    causes_.push_back(cause);
  }
}

bool Situations::waits(HostIndex call) const {
  return causes_[call] == IdleCause::kSynchronising || causes_[call] == IdleCause::kBlockingCopy;
}

IdleCause Situations::of(const Stretch& stretch) const {
  const IdleCause cause = stretch.innermost ? causes_[*stretch.innermost] : IdleCause::kHostWork;
  const bool silent = stretch.when.end - stretch.when.begin >= kRules.silence;
  const bool in_call =
      stretch.innermost && timeline_.events.host[*stretch.innermost].kind == HostKind::kCall;
  return cause == IdleCause::kHostWork && silent && !in_call ? IdleCause::kSilent : cause;
}

IdleCause GapCauses::main() const {
  const auto most = std::max_element(parts.begin(), parts.end());
  return static_cast<IdleCause>(most - parts.begin());
}

GapCauses causes_of(const Timeline& timeline, const Situations& situations, const Gap& gap) {
  return GapCut(timeline, situations, gap).cut();
}

CauseShares causes_of(const Timeline& timeline, const Situations& situations,
                      const std::vector<Gap>& gaps) {
  CauseShares shares{};
  for (const Gap& gap : gaps) {
    const GapCauses causes = causes_of(timeline, situations, gap);
    for (std::size_t i = 0; i < kIdleCauses; ++i) {
      if (causes.parts[i] == Nanos{0}) continue;
      shares[i].total += causes.parts[i];
      ++shares[i].gaps;
    }
  }
  return shares;
}

}  // namespace traceml
