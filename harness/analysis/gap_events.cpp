#include "harness/analysis/gap_events.h"

#include <algorithm>
#include <array>
#include <optional>

#include "harness/analysis/timeline_names.h"

namespace traceml {
namespace {

constexpr std::array<const char*, 6> kKinds = {"ranges of the loader",      "synchronising calls",
                                               "copies of pageable memory", "memory calls",
                                               "loading of modules (code)", "profiler at work"};
enum Kind : std::size_t { kInput, kSynchronising, kPageable, kMemory, kModule, kProfiler };

class Tally {
 public:
  Tally(const Timeline& timeline, const std::vector<Gap>& gaps, TimeRange span)
      : timeline_(timeline), span_(span), pageable_(timeline.events.host.size()) {
    for (const Gap& gap : gaps) gaps_.push_back(before_launch(gap));
    for (WorkIndex work = 0; work < timeline.events.device.size(); ++work) {
      const auto launch = timeline.launch[work];
      if (launch && is_pageable(timeline.name_of(timeline.events.device[work]))) {
        pageable_[*launch] = true;
      }
    }
    for (auto& kind : kinds_) kind.begins.resize(gaps.size() + 1);
  }

  std::vector<GapEvents> count() {
    for (HostIndex i = 0; i < timeline_.events.host.size(); ++i) {
      const auto kind = kind_of(i);
      if (kind) add(&kinds_[*kind], timeline_.events.host[i]);
    }
    std::vector<GapEvents> all;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      GapEvents one = kinds_[i].counted;
      one.kind = kKinds[i];
      std::int64_t open = 0;
      for (std::size_t gap = 0; gap < gaps_.size(); ++gap) {
        open += kinds_[i].begins[gap];
        if (open > 0) ++one.gaps;
      }
      if (one.events > 0) all.push_back(std::move(one));
    }
    return all;
  }

 private:
  struct OneKind {
    GapEvents counted;
    std::vector<std::int64_t> begins;  // events that begin to cover a gap, minus those that ended
  };

  // What comes after the launch did not hold it up. Of work that was launched before the gap, or
  // whose launch is not known, all of the gap counts.
  TimeRange before_launch(const Gap& gap) const {
    if (!gap.launch) return gap.when;
    const Nanos launched = timeline_.events.host[*gap.launch].start;
    if (launched <= gap.when.begin) return gap.when;
    return {gap.when.begin, std::min(launched, gap.when.end)};
  }

  // Of an event inside another of its kind (a driver's call, an inner range) only the outer counts.
  std::optional<Kind> kind_of(HostIndex index) const {
    const HostSpan& span = timeline_.events.host[index];
    const std::string_view name = timeline_.name_of(span);
    const auto parent = timeline_.parent[index];
    const HostSpan* around = parent ? &timeline_.events.host[*parent] : nullptr;
    if (span.kind == HostKind::kOverhead) return kProfiler;
    if (span.kind != HostKind::kCall) {
      const bool inner = around != nullptr && is_input(timeline_.name_of(*around));
      return is_input(name) && !inner ? std::optional(kInput) : std::nullopt;
    }
    if (around != nullptr && around->kind == HostKind::kCall) return std::nullopt;
    if (pageable_[index]) return kPageable;
    if (is_synchronising(name)) return kSynchronising;
    if (is_memory_call(name)) return kMemory;
    if (is_module_call(name)) return kModule;
    return std::nullopt;
  }

  void add(OneKind* kind, const HostSpan& span) const {
    if (span.end() <= span_.begin || span.start >= span_.end) return;
    ++kind->counted.events;
    const auto first =
        std::upper_bound(gaps_.begin(), gaps_.end(), span.start,
                         [](Nanos time, const TimeRange& gap) { return time < gap.end; });
    const auto last =
        std::lower_bound(first, gaps_.end(), span.end(),
                         [](const TimeRange& gap, Nanos time) { return gap.begin < time; });
    if (first == last) return;
    ++kind->counted.hits;
    ++kind->begins[static_cast<std::size_t>(first - gaps_.begin())];
    --kind->begins[static_cast<std::size_t>(last - gaps_.begin())];
  }

  const Timeline& timeline_;
  std::vector<TimeRange> gaps_;  // of each: until its launch
  TimeRange span_;
  std::vector<bool> pageable_;  // of each host span: it launched such a copy
  std::array<OneKind, kKinds.size()> kinds_;
};

}  // namespace

std::vector<GapEvents> events_against_gaps(const Timeline& timeline, const std::vector<Gap>& gaps,
                                           TimeRange span) {
  return Tally(timeline, gaps, span).count();
}

}  // namespace traceml
