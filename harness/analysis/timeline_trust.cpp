#include "harness/analysis/timeline_trust.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "harness/analysis/graph_launches.h"
#include "harness/analysis/text.h"
#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

std::string count_of(std::int64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

constexpr const char* kTooLong = " so long that together they exceed 73 years; left out";

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

class Judge {
 public:
  explicit Judge(const Timeline& timeline) : timeline_(timeline) {}

  TimelineTrust judge() {
    count_launches();
    judge_presence();
    judge_asked_for();
    judge_lost_work();
    judge_lost_launches();
    judge_decimals();
    judge_graphs();
    judge_overlaps();
    judge_durations();
    judge_steps();
    judge_collection();
    return std::move(trust_);
  }

 private:
  const TimelineFacts& facts() const { return timeline_.events.facts; }

  // What bears on idle comes first.
  void say(const std::string& remark, IdleTrust idle = IdleTrust::kNumber) {
    if (idle == IdleTrust::kNumber) return trust_.remarks.push_back(remark);
    const bool worst = idle > trust_.idle;
    trust_.remarks.insert(worst ? trust_.remarks.begin() : trust_.remarks.end(), remark);
    trust_.idle = std::max(trust_.idle, idle);
  }

  void count_launches() {
    std::vector<bool> has_work(timeline_.events.host.size());
    trust_.device_work = static_cast<std::int64_t>(timeline_.events.device.size());
    for (const auto& launch : timeline_.launch) {
      if (!launch) ++trust_.without_launch;
      if (launch) has_work[*launch] = true;
    }
    for (HostIndex i = 0; i < timeline_.events.host.size(); ++i) {
      const HostSpan& call = timeline_.events.host[i];
      if (call.kind != HostKind::kCall || !call.correlation) continue;
      if (!is_launch(timeline_.name_of(call)) || inside_launch(i)) continue;
      ++trust_.launches;
      // Either of a runtime call and the driver call in it may bear the kernel's correlation.
      if (!has_work[i] && !inner_has_work(i, has_work)) ++trust_.launches_without_work;
    }
  }

  bool inside_launch(HostIndex call) const {
    const auto parent = timeline_.parent[call];
    return parent && timeline_.events.host[*parent].kind == HostKind::kCall &&
           is_launch(timeline_.name_of(timeline_.events.host[*parent]));
  }

  bool inner_has_work(HostIndex call, const std::vector<bool>& has_work) const {
    for (HostIndex i = call + 1; i < has_work.size() && timeline_.parent[i] >= call; ++i) {
      if (has_work[i]) return true;
      if (timeline_.events.host[i].start >= timeline_.events.host[call].end()) break;
    }
    return false;
  }

  void judge_presence() {
    if (trust_.device_work > 0) return;
    std::string remark = "no device work is in the file, so nothing is known of a device";
    if (facts().listed_devices > 0) {
      remark += ", though its header lists " + facts().devices.value_or("one") +
                ": was ProfilerActivity.CUDA asked for, and did another profiler hold CUPTI?";
    }
    say(remark, IdleTrust::kRefused);
  }

  // What the header says was asked for, or is always there, and is absent.
  void judge_asked_for() {
    const auto has = [this](HostKind kind) {
      const auto& host = timeline_.events.host;
      return std::any_of(host.begin(), host.end(),
                         [kind](const HostSpan& span) { return span.kind == kind; });
    };
    if (trust_.device_work > 0 && !has(HostKind::kCall)) {
      say("no call of the CUDA runtime or driver is in the file, so no launch is known");
    }
    if (trust_.device_work > 0 && !has(HostKind::kOperator) && !facts().own) {
      say("no operator is in the file: was ProfilerActivity.CPU asked for?");
    }
    if (facts().with_stack && !has(HostKind::kPython)) {
      say("with_stack was asked for, but no Python frame is in the file");
    }
    if (facts().profile_memory && timeline_.events.memory.empty()) {
      say("profile_memory was asked for, but no record of memory is in the file");
    }
    if (facts().record_shapes && has(HostKind::kOperator) && !has_shapes()) {
      say("record_shapes was asked for, but no operator has shapes");
    }
  }

  bool has_shapes() const {
    const auto& host = timeline_.events.host;
    return std::any_of(host.begin(), host.end(),
                       [](const HostSpan& span) { return span.shape.has_value(); });
  }

  void judge_lost_work() {
    if (facts().zero_device_times > 0) {
      trust_.at_most = true;
      say(count_of(facts().zero_device_times, "device event") +
              " without times: the profiler's buffers ran out; left out",
          IdleTrust::kRange);
    }
    if (trust_.launches_without_work == 0 || trust_.device_work == 0) return;
    const double lost = share(trust_.launches_without_work, trust_.launches);
    const std::string remark = count_of(trust_.launches_without_work, "launch call") + " of " +
                               std::to_string(trust_.launches) + " (" + percent(lost) +
                               ") left no device work";
    if (lost > kRules.lost_work_share) {
      say(remark + ": device buffers were dropped, so idle is no measurement", IdleTrust::kRefused);
    } else if (lost > kRules.lost_work_some) {
      trust_.at_most = true;
      say(remark + ": dropped, or outside the window; idle is at most what is said",
          IdleTrust::kRange);
    } else {
      say(remark);
    }
  }

  void judge_lost_launches() {
    const double lost = share(trust_.without_launch, trust_.device_work);
    if (trust_.without_launch == 0) return;
    trust_.causes = lost <= kRules.lost_launches_most;
    std::string remark = count_of(trust_.without_launch, "device event") + " of " +
                         std::to_string(trust_.device_work) + " (" + percent(lost) +
                         ") without a launch record; kept as device work";
    if (!trust_.causes) remark += "; too many for causes of idle";
    if (lost > kRules.lost_launch_share) say(remark);
  }

  void judge_decimals() {
    constexpr std::int64_t kLostStep = 50;        // devices count in steps of up to 32 ns
    constexpr std::int64_t kMicrosecond = 1'000;  // nothing rounds further; few events may look so
    const std::int64_t step = std::min(facts().device_time_step_ns, kMicrosecond);
    if (step < kLostStep || trust_.device_work < 2) return;
    trust_.per_gap = 2 * Nanos{step};
    say("device times are multiples of " + std::to_string(step) +
            " ns: their decimals were lost, and each gap may be off by " +
            std::to_string(2 * step) + " ns",
        IdleTrust::kRange);
  }

  void judge_graphs() {
    const GraphLaunches graphs = count_graph_launches(timeline_);
    if (graphs.partial == 0) return;
    trust_.at_most = true;
    say(count_of(graphs.partial, "graph launch") + " of " + std::to_string(graphs.launches) +
            " with fewer device events than the graph has nodes: records were dropped",
        IdleTrust::kRange);
  }

  void judge_overlaps() {
    std::map<StreamIndex, Nanos> ends;
    std::int64_t overlapping = 0;
    for (const DeviceSpan& work : timeline_.events.device) {
      const auto [last, is_new] = ends.try_emplace(work.stream, work.end());
      if (is_new) continue;
      if (last->second - work.start > kRules.overlap) ++overlapping;
      last->second = std::max(last->second, work.end());
    }
    if (share(overlapping, trust_.device_work) <= kRules.overlap_share) return;
    say(count_of(overlapping, "device event") +
        " that began before the work ahead on their stream had ended: graphs, launches that depend "
        "on each other, or wrong times");
  }

  void judge_durations() {
    const TimelineFaults& faults = timeline_.faults;
    if (faults.negative > 0) say(count_of(faults.negative, "negative duration") + "; left out");
    if (faults.empty > 0) {
      say(count_of(faults.empty, "device event") + " of no duration; counted, but without time");
    }
    if (faults.absurd > 0) {
      trust_.at_most = true;
      say(count_of(faults.absurd, "device event") +
              " longer than 10 minutes, or that far from the " + "launch: wrong records; left out",
          IdleTrust::kRange);
    }
    if (faults.absurd_host > 0) {
      say(count_of(faults.absurd_host, "host event") + " longer than a day; left out");
    }
    if (faults.too_long > 0) {
      say(count_of(faults.too_long, "device event") + kTooLong, IdleTrust::kRange);
    }
    if (faults.too_long_host > 0) say(count_of(faults.too_long_host, "host event") + kTooLong);
    if (faults.too_deep > 0) {
      say(count_of(faults.too_deep, "host event") + " inside " +
          std::to_string(kRules.deepest_stack) + " others or more; left out");
    }
    std::int64_t early = 0;
    for (WorkIndex i = 0; i < timeline_.launch.size(); ++i) {
      const auto launch = timeline_.launch[i];
      if (launch && timeline_.events.device[i].start < timeline_.events.host[*launch].start)
        ++early;
    }
    if (early > 0) {
      say(count_of(early, "device event") +
          " that started before the launch call did: the clocks " +
          "of host and device are not aligned, launch lag and causes are off by as much");
    }
    if (facts().without_duration > 0) {
      say(count_of(facts().without_duration, "event") + " without a duration; left out");
    }
  }

  void judge_steps() {
    const std::vector<Step> all = steps_of(timeline_);
    const auto steps = static_cast<std::int64_t>(all.size());
    if (trust_.device_work == 0) return;
    if (steps == 0) return say("no ProfilerStep ranges: nothing is known per step");
    std::vector<bool> full(all.size());
    for (const auto& launch : timeline_.launch) {
      const auto step = launch ? step_at(all, timeline_.events.host[*launch].start) : std::nullopt;
      if (step) full[*step] = true;
    }
    const auto empty = std::count(full.begin(), full.end(), false);
    if (empty > 0) {
      say(std::to_string(empty) + " of " + count_of(steps, "step") +
          " launched no device work: the device was not recorded in them, or had nothing to do");
    }
    if (facts().own) return judge_queue(steps);
    if (steps < kRules.loader_queue) {
      say("only " + count_of(steps, "step") +
          ": a loader whose queue holds more batches (8 workers "
          "with 2 each: 16) can stall beyond them unseen");
    }
  }

  void judge_queue(std::int64_t steps) {
    const std::int64_t queue = facts().own->queue_capacity;
    if (queue < steps) return;
    say("only " + count_of(steps, "step") + ", and the loader can hold " + std::to_string(queue) +
        " batches ready: such a trace cannot show input stalls");
  }

  // What the collector of a run of ours says of itself.
  void judge_collection() {
    if (!facts().own) return;
    const OwnTraceFacts& own = *facts().own;
    if (own.collector.empty()) {
      say("no device was traced in this run: the ranges are the training thread's, host clock");
    }
    const std::int64_t lost = own.dropped_records + own.without_times + own.before_launch;
    if (lost > 0) {
      trust_.at_most = true;
      say(count_of(own.dropped_records, "record") + " dropped by " + own.collector + ", " +
              count_of(own.without_times, "device event") + " without times and " +
              std::to_string(own.before_launch) + " that began before their launch call; left out",
          IdleTrust::kRange);
    }
    if (own.dropped_operators > 0) {
      say(count_of(own.dropped_operators, "operator") + " of " +
          std::to_string(own.operators + own.dropped_operators) +
          " left out for lack of room: their times count as those of the operators around them; "
          "trace fewer steps");
    }
    constexpr std::int64_t kMost = 1'000;  // ns; a launch takes five times as long
    if (std::max(std::abs(own.clock_drift_ns), own.clock_error_ns) > kMost) {
      say("the collector's clock ran " + std::to_string(own.clock_drift_ns) +
          " ns away from the host's, read to " + std::to_string(own.clock_error_ns) +
          " ns: launch lag may be off by as much");
    }
  }

  const Timeline& timeline_;
  TimelineTrust trust_;
};

}  // namespace

std::string_view name_of(IdleTrust trust) {
  switch (trust) {
    case IdleTrust::kNumber:
      return "number";
    case IdleTrust::kRange:
      return "range";
    case IdleTrust::kRefused:
      break;
  }
  return "refused";
}

double TimelineTrust::launch_coverage() const {
  return 1 - share(without_launch, device_work);
}

TimelineTrust judge_trust(const Timeline& timeline) {
  return Judge(timeline).judge();
}

TimeRange idle_range(const TimelineTrust& trust, const DeviceTime& time) {
  std::int64_t gaps = 0;
  for (const IdleClass& one : time.idle_classes) gaps += one.gaps;
  const Nanos off = trust.per_gap * gaps;
  const Nanos least = trust.at_most ? Nanos{0} : std::max(Nanos{0}, time.idle - off);
  return {least, std::min(time.span(), time.idle + off)};
}

}  // namespace traceml
