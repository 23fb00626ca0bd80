#include "harness/analysis/timeline_selection.h"

#include <algorithm>

#include "harness/analysis/timeline_names.h"

namespace traceml {
namespace {

// When the work was asked for: its launch, or its start where no launch is recorded.
Nanos asked_at(const Timeline& timeline, WorkIndex work) {
  const auto launch = timeline.launch[work];
  return launch ? timeline.events.host[*launch].start : timeline.events.device[work].start;
}

void take_steps(const Timeline& timeline, Selection* selection) {
  const Nanos begin = selection->steps.front().when.begin;
  const Nanos end = selection->steps.back().when.end;
  Nanos last = end;
  std::erase_if(selection->work, [&](WorkIndex work) {
    const Nanos asked = asked_at(timeline, work);
    if (asked < begin || asked >= end) return true;
    last = std::max(last, timeline.events.device[work].end());
    return false;
  });
  selection->lag = last - end;
}

// Work without a launch record is left out there.
void take_hta(const Timeline& timeline, Selection* selection) {
  const Nanos end = selection->steps.back().when.begin;
  std::erase_if(selection->work, [&](WorkIndex work) {
    const auto launch = timeline.launch[work];
    return !launch || timeline.events.host[*launch].start >= end;
  });
  selection->steps.pop_back();
}

}  // namespace

std::vector<Step> steps_of(const Timeline& timeline) {
  std::vector<Step> steps;
  for (const HostSpan& span : timeline.events.host) {
    if (span.kind != HostKind::kAnnotation || !is_step(timeline.name_of(span))) continue;
    steps.push_back({std::string(timeline.name_of(span)), {span.start, span.end()}});
  }
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.when.begin < b.when.begin; });
  return steps;
}

std::optional<std::size_t> step_at(const std::vector<Step>& steps, Nanos when) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), when,
                       [](Nanos time, const Step& step) { return time < step.when.begin; });
  if (after == steps.begin() || when >= (after - 1)->when.end) return std::nullopt;
  return static_cast<std::size_t>(after - steps.begin()) - 1;
}

TimeRange host_window(const Timeline& timeline, const Selection& selection) {
  if (!selection.steps.empty()) {
    return {selection.steps.front().when.begin, selection.steps.back().when.end};
  }
  TimeRange window{Nanos::max(), Nanos::min()};
  for (const HostSpan& span : timeline.events.host) {
    window.begin = std::min(window.begin, span.start);
    window.end = std::max(window.end, span.end());
  }
  return window;
}

SelectionKind usual_selection(const Timeline& timeline) {
  return steps_of(timeline).empty() ? SelectionKind::kWhole : SelectionKind::kSteps;
}

Selection select_work(const Timeline& timeline, SelectionKind kind) {
  Selection selection;
  selection.steps = steps_of(timeline);
  for (WorkIndex work = 0; work < timeline.events.device.size(); ++work) {
    selection.work.push_back(work);
  }
  if (kind == SelectionKind::kSteps && !selection.steps.empty()) {
    selection.kind = kind;
    take_steps(timeline, &selection);
  } else if (kind == SelectionKind::kHta && selection.steps.size() > 1) {
    selection.kind = kind;
    take_hta(timeline, &selection);
  }
  return selection;
}

std::set<ThreadIndex> launching_threads(const Timeline& timeline, const Selection& selection) {
  std::set<ThreadIndex> threads;
  for (const WorkIndex work : selection.work) {
    const auto launch = timeline.launch[work];
    if (launch) threads.insert(timeline.events.host[*launch].thread);
  }
  return threads;
}

const char* name_of(SelectionKind kind) {
  switch (kind) {
    case SelectionKind::kSteps:
      return "steps";
    case SelectionKind::kHta:
      return "hta";
    case SelectionKind::kWhole:
      break;
  }
  return "whole";
}

}  // namespace traceml
