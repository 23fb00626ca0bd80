#include "harness/analysis/trace_against.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/analysis/quantiles.h"
#include "harness/analysis/text.h"
#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

using Key = std::pair<std::string, std::string>;  // name, launch shape

struct Steps {
  std::int64_t count = 0, empty = 0;
  std::map<Key, std::vector<double>> kernels;  // ns, of each step
  std::map<Key, std::int64_t> counts;
  std::vector<double> host, launch_calls, kernel_total, copy_total;
};

double ns(Nanos time) {
  return static_cast<double>(time.count());
}

// Of each step: what its launch calls took. A driver's call inside one is part of it.
std::vector<double> launch_calls(const Timeline& timeline, const std::vector<Step>& steps) {
  std::vector<double> totals(steps.size());
  const auto& host = timeline.events.host;
  for (HostIndex i = 0; i < host.size(); ++i) {
    if (host[i].kind != HostKind::kCall || !is_launch(timeline.name_of(host[i]))) continue;
    const auto parent = timeline.parent[i];
    if (parent && host[*parent].kind == HostKind::kCall) continue;
    const auto step = step_at(steps, host[i].start);
    if (step) totals[*step] += ns(host[i].duration);
  }
  return totals;
}

Steps steps_with_work(const Timeline& timeline) {
  const std::vector<Step> steps = steps_of(timeline);
  std::vector<std::vector<WorkIndex>> work(steps.size());
  for (WorkIndex index = 0; index < timeline.events.device.size(); ++index) {
    const auto launch = timeline.launch[index];
    if (!launch) continue;
    const auto step = step_at(steps, timeline.events.host[*launch].start);
    if (step) work[*step].push_back(index);
  }
  const std::vector<double> calls = launch_calls(timeline, steps);
  Steps result;
  for (const auto& one : work) ++(one.empty() ? result.empty : result.count);
  std::size_t at = 0;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    if (work[step].empty()) continue;
    double kernels = 0, copies = 0;
    for (const WorkIndex index : work[step]) {
      const DeviceSpan& span = timeline.events.device[index];
      if (span.kind != DeviceKind::kKernel) {
        copies += ns(span.duration);
        continue;
      }
      kernels += ns(span.duration);
      const Key key{timeline.name_of(span), span.shape ? timeline.events.names[*span.shape] : ""};
      auto& totals = result.kernels[key];
      totals.resize(static_cast<std::size_t>(result.count));
      totals[at] += ns(span.duration);
      ++result.counts[key];
    }
    result.host.push_back(ns(steps[step].when.end - steps[step].when.begin));
    result.launch_calls.push_back(calls[step]);
    result.kernel_total.push_back(kernels);
    result.copy_total.push_back(copies);
    ++at;
  }
  return result;
}

struct Moments {
  double mean = 0;
  double error2 = 0;  // squared standard error of the mean
  double df = 0;
};

Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) moments.mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - moments.mean) * (value - moments.mean);
  moments.df = n - 1;
  if (n > 1) moments.error2 = squares / (n - 1) / n;
  return moments;
}

// Welch's t, two-sided, at `level`.
std::optional<double> noise_of(const Moments& a, const Moments& b, double level) {
  if (a.df < 1 || b.df < 1) return std::nullopt;
  const double error2 = a.error2 + b.error2;
  if (error2 <= 0) return 0.0;
  const double df = error2 * error2 / (a.error2 * a.error2 / a.df + b.error2 * b.error2 / b.df);
  return student_quantile(level / 2, df) * std::sqrt(error2);
}

Mover mover_of(const std::string& name, const std::vector<double>* before,
               const std::vector<double>* after, const std::pair<std::size_t, std::size_t>& steps,
               double level) {
  Mover mover;
  mover.name = name;
  const std::vector<double> none_before(steps.first), none_after(steps.second);
  const Moments a = moments_of(before ? *before : none_before);
  const Moments b = moments_of(after ? *after : none_after);
  if (before) mover.before_ns = a.mean;
  if (after) mover.after_ns = b.mean;
  mover.noise_ns = noise_of(a, b, level);
  mover.moved = mover.noise_ns && std::abs(b.mean - a.mean) > *mover.noise_ns;
  return mover;
}

template <class Map>
const typename Map::mapped_type* find_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

// "3 kernels make up 92.00 % of +4.100 ms a step": as few as make up most of what all kernels
// changed by, of those that moved that way. Empty: none did, or all together changed by nothing.
std::string movers_in_words(const std::vector<Mover>& kernels) {
  double all = 0;
  std::vector<double> changes;
  for (const Mover& one : kernels) all += one.change_ns().value_or(0);
  for (const Mover& one : kernels) {
    const double change = one.change_ns().value_or(0);
    if (one.moved && change * all > 0) changes.push_back(change);
  }
  if (changes.empty()) return "";
  double part = 0;
  std::size_t count = 0;  // they come largest first
  while (count < changes.size() && part / all < kRules.mover_share) part += changes[count++];
  return std::to_string(count) + (count == 1 ? " kernel makes up " : " kernels make up ") +
         percent(part / all) + " of the " + signed_in_ms(Millis{all / 1e6}) +
         " a step by which all kernels together changed";
}

std::vector<std::string> remarks_on(const TraceComparison& comparison) {
  std::vector<std::string> remarks;
  const auto say_empty = [&](std::int64_t empty, std::int64_t full, const char* side) {
    if (empty == 0) return;
    remarks.push_back(std::to_string(empty) + " of " + std::to_string(empty + full) +
                      " steps of the " + side +
                      " trace launched no device work, and are left out of every mean");
  };
  say_empty(comparison.empty_before, comparison.steps_before, "earlier");
  say_empty(comparison.empty_after, comparison.steps_after, "later");
  if (std::string movers = movers_in_words(comparison.kernels); !movers.empty()) {
    remarks.push_back(std::move(movers));
  }
  if (comparison.steps_before < 2 || comparison.steps_after < 2) {
    remarks.push_back(
        "fewer than two steps with device work on a side: the spread over steps is "
        "not known, and nothing is called a change");
  }
  remarks.push_back(
      "steps of one launch each: this says what moved between two traces, not "
      "whether a build is slower (traceml-bench compare judges launches)");
  return remarks;
}

}  // namespace

std::optional<double> Mover::change_ns() const {
  if (!before_ns && !after_ns) return std::nullopt;
  return after_ns.value_or(0) - before_ns.value_or(0);
}

TraceComparison compare_traces(const Timeline& before, const Timeline& after,
                               const std::string& before_file) {
  const Steps a = steps_with_work(before), b = steps_with_work(after);
  TraceComparison comparison;
  comparison.before_file = before_file;
  comparison.steps_before = a.count;
  comparison.steps_after = b.count;
  comparison.empty_before = a.empty;
  comparison.empty_after = b.empty;
  const std::pair sizes(static_cast<std::size_t>(a.count), static_cast<std::size_t>(b.count));
  if (a.count > 0 && b.count > 0) {
    constexpr double kTotals = 4;
    const double level = kRules.mover_level / kTotals;
    comparison.totals = {
        mover_of("step, host clock", &a.host, &b.host, sizes, level),
        mover_of("launch calls, host clock", &a.launch_calls, &b.launch_calls, sizes, level),
        mover_of("kernels", &a.kernel_total, &b.kernel_total, sizes, level),
        mover_of("copies", &a.copy_total, &b.copy_total, sizes, level)};
    std::map<Key, int> keys;
    for (const auto& [key, totals] : a.kernels) keys[key] = 0;
    for (const auto& [key, totals] : b.kernels) keys[key] = 0;
    for (const auto& [key, unused] : keys) {
      Mover mover = mover_of(key.first, find_in(a.kernels, key), find_in(b.kernels, key), sizes,
                             kRules.mover_level / static_cast<double>(keys.size()));
      mover.shape = key.second;
      if (const auto* count = find_in(a.counts, key)) mover.count_before = *count;
      if (const auto* count = find_in(b.counts, key)) mover.count_after = *count;
      comparison.kernels.push_back(std::move(mover));
    }
  }
  std::stable_sort(
      comparison.kernels.begin(), comparison.kernels.end(), [](const Mover& x, const Mover& y) {
        const double own = std::abs(x.change_ns().value_or(0));
        return std::pair(x.moved, own) > std::pair(y.moved, std::abs(y.change_ns().value_or(0)));
      });
  comparison.remarks = remarks_on(comparison);
  return comparison;
}

}  // namespace traceml
