#include "harness/analysis/trace_findings.h"

#include <algorithm>
#include <iomanip>
#include <optional>
#include <set>
#include <sstream>

#include "harness/analysis/text.h"
#include "harness/analysis/time_ranges.h"
#include "harness/analysis/timeline_names.h"
#include "harness/analysis/timeline_rules.h"

namespace traceml {
namespace {

std::string times(std::int64_t count) {
  return count == 1 ? "once" : std::to_string(count) + " times";
}

// What is said of one device.
class DeviceFindings {
 public:
  DeviceFindings(const TraceReport& report, const DeviceReport& device,
                 std::vector<TraceFinding>* findings)
      : report_(report), device_(device), findings_(findings) {}

  void find() {
    if (report_.trust.idle != IdleTrust::kRefused && report_.trust.causes) {
      find_input();
      find_waits();
      find_memory_calls();
      find_long_calls();
      find_silence();
      find_small_kernels();
      find_graph_gaps();
    }
    find_exposed_communication();
    find_pageable_copies();
  }

 private:
  Nanos span() const { return device_.time.span(); }

  const CauseShare& part(IdleCause cause) const {
    return device_.causes[static_cast<std::size_t>(cause)];
  }

  // "device 0 stood idle for 12.300 ms (4.10 % of its span) in 3 gaps: CAUSE".
  std::string idle_text(Nanos total, std::int64_t gaps, const char* cause) const {
    return "device " + device_.time.device + " stood idle for " + in_ms(total) + " (" +
           percent(share_of(total, span())) + " of its span) in " + std::to_string(gaps) +
           (gaps == 1 ? " gap: " : " gaps: ") + cause;
  }
  std::string idle_text(IdleCause cause) const {
    std::string text = idle_text(part(cause).total, part(cause).gaps, name_of(cause));
    if (const LongGap* gap = example(cause); gap != nullptr && part(cause).gaps > 1) {
      text += " (the longest gap " + in_ms(gap->when.end - gap->when.begin) + ", at " +
              in_ms(gap->when.begin) + ")";
    }
    return text;
  }

  // The longest listed gap of a cause.
  const LongGap* example(IdleCause cause) const {
    for (const LongGap& gap : device_.gaps) {
      if (gap.cause == cause) return &gap;
    }
    return nullptr;
  }

  void add(std::string cause, double share, std::string observation, std::string hypothesis,
           std::string next_check) {
    findings_->push_back({std::move(cause), share, std::move(observation), std::move(hypothesis),
                          std::move(next_check)});
  }

  void find_input() {
    const double share = share_of(part(IdleCause::kInput).total, span());
    if (share < kRules.cause_share) return;
    add("late_batch", share, idle_text(IdleCause::kInput),
        "the loader does not keep up, or its queue ran dry",
        "the same step with one batch that stays on the device; then more workers, or a deeper "
        "queue");
  }

  // Both kinds of waiting calls: which it was is told by the calls.
  void find_waits() {
    find_synchronising();
    const double copy = share_of(part(IdleCause::kBlockingCopy).total, span());
    if (copy < kRules.copy_share) return;
    add("blocking_copy", copy, idle_text(IdleCause::kBlockingCopy),
        "the host waits in a copy until it is done, and issues the next work only then",
        "pinned memory and non_blocking=True, then the same figures again");
  }

  void find_synchronising() {
    const double share = share_of(part(IdleCause::kSynchronising).total, span());
    if (share < kRules.cause_share) return;
    std::int64_t in_steps = 0;
    const WaitingCalls* most = nullptr;
    for (const WaitingCalls& calls : report_.waiting) {
      if (!is_synchronising(calls.call)) continue;
      in_steps += calls.in_steps;
      if (most == nullptr && calls.in_steps > 0) most = &calls;
    }
    const auto steps = static_cast<double>(std::max<std::size_t>(report_.steps.size(), 1));
    if (most == nullptr || static_cast<double>(in_steps) < kRules.syncs_per_step * steps) return;
    std::string place = most->call;
    if (!most->operation.empty()) place += " of " + most->operation;
    if (!most->phase.empty()) place += " in " + most->phase;
    add("sync_in_loop", share,
        idle_text(IdleCause::kSynchronising) + "; " + place + ", " + times(most->count),
        "a value of the device is read inside the step (.item(), .cpu(), print, a Python if)",
        "keep the value on the device and read it after the loop");
  }

  void find_memory_calls() {
    const double share = share_of(part(IdleCause::kMemoryCall).total, span());
    if (share < kRules.cause_share) return;
    add("allocator_in_loop", share, idle_text(IdleCause::kMemoryCall),
        "the caching allocator has no block that fits, since sizes change or it is fragmented, and "
        "goes to the driver, which waits for the device",
        "the same shapes in each step, or PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; "
        "num_alloc_retries of torch.cuda.memory_stats()");
  }

  void find_long_calls() {
    const double share = share_of(part(IdleCause::kLongCall).total, span());
    if (share < kRules.cause_share) return;
    std::string observation = idle_text(IdleCause::kLongCall);
    if (const LongGap* gap = example(IdleCause::kLongCall)) {
      observation +=
          "; the longest in " + (gap->where.call.empty() ? gap->launch : gap->where.call);
    }
    add("long_host_call", share, observation,
        "a call of the CUDA runtime held the thread: a module that is loaded, or a lock that "
        "another thread holds",
        "what the other threads had open in it; a longer warm-up");
  }

  void find_silence() {
    const double share = share_of(part(IdleCause::kSilent).total, span());
    if (share < kRules.cause_share) return;
    std::string observation = idle_text(IdleCause::kSilent);
    if (const LongGap* gap = example(IdleCause::kSilent)) {
      const std::string& inside = gap->where.silent_in;
      if (!inside.empty()) observation += "; the longest inside " + inside;
      if (!gap->others.empty()) observation += ", meanwhile " + gap->others.front();
    }
    add("silent_thread", share, observation,
        "the thread waited for a lock or a core, or did work that the profiler does not record",
        report_.with_stack ? "a profiler that sees the operating system (py-spy, perf sched)"
                           : "the same window with with_stack=True, then one that sees locks");
  }

  void find_small_kernels() {
    const CauseShare& work = part(IdleCause::kHostWork);
    const CauseShare& queued = part(IdleCause::kQueued);
    const double share = share_of(work.total + queued.total, span());
    if (share_of(work.total, span()) < kRules.host_work_share || !report_.lag_of_launches) return;
    const bool small = report_.median_kernel && *report_.median_kernel < kRules.small_kernel;
    if (!small || report_.lag_of_launches->state != LaunchState::kLaunchBound) return;
    add("small_kernels", share,
        idle_text(IdleCause::kHostWork) + "; half of the kernels last less than " +
            std::to_string(report_.median_kernel->count() / 1000 + 1) + " us",
        "the host issues operators more slowly than the device does them",
        "a CUDA graph or torch.compile of the step, or a larger batch");
  }

  void find_graph_gaps() {
    const CauseShare& inside = part(IdleCause::kInGraph);
    const CauseShare& before = part(IdleCause::kBeforeGraph);
    const double share = share_of(inside.total + before.total, span());
    if (share < kRules.graph_share) return;
    add("graph_gaps", share,
        idle_text(inside.total + before.total, inside.gaps + before.gaps, "in and before graphs"),
        "many small nodes, or branches of the graph that wait for each other",
        "fewer, larger kernels in the captured region (torch.compile), or fewer graph launches");
  }

  void find_exposed_communication() {
    const double share = share_of(device_.time.exposed_communication, span());
    if (share < kRules.exposed_communication_share) return;
    add("exposed_communication", share,
        "device " + device_.time.device + " communicated for " +
            in_ms(device_.time.exposed_communication) + " (" + percent(share) +
            " of its span) with no computation beside it",
        "the exchange is not hidden behind backward, or this rank waited in it for another",
        "the traces of all ranks in one call: they tell waiting from moving bytes");
  }

  // Where a copy does not tell its bytes, its time alone decides.
  void find_pageable_copies() {
    Nanos time{0};
    double pageable = 0, all = 0;
    std::int64_t count = 0;
    bool all_tell = true;
    for (const CopyTotal& copy : device_.copies) {
      if (!is_host_to_device(copy.name)) continue;
      all += static_cast<double>(copy.bytes);
      all_tell = all_tell && copy.without_bytes == 0;
      if (!is_pageable(copy.name)) continue;
      pageable += static_cast<double>(copy.bytes);
      time += copy.total;
      count += copy.count;
    }
    const double share = share_of(time, span());
    if (share < kRules.copy_share || (all_tell && pageable < kRules.pageable_bytes * all)) return;
    add("pageable_input", share,
        std::to_string(count) + " copies from pageable memory to device " + device_.time.device +
            " took " + in_ms(time) + " (" + percent(share) + " of its span)",
        "the batch is not in pinned memory, so the driver stages it and the call blocks",
        "DataLoader(pin_memory=True) and .to(device, non_blocking=True)");
  }

  const TraceReport& report_;
  const DeviceReport& device_;
  std::vector<TraceFinding>* findings_;
};

std::string mb(double bytes) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << bytes / 1e6 << " MB";
  return text.str();
}

// No time of the span: its share is 0, and it comes last.
TraceFinding growth_of(const MemoryUse& use) {
  const std::string where = use.memory == "host" ? "the host's memory" : "device " + use.memory;
  return {
      "memory_growth", 0,
      where + " held more at the end of " + std::to_string(use.rises) + " of " +
          std::to_string(use.step_end_bytes.size() - 1) +
          " steps than of the one before: " + mb(use.bytes_per_step.value_or(0)) +
          " a step in the median, from " + mb(static_cast<double>(use.step_end_bytes.front())) +
          " to " + mb(static_cast<double>(use.step_end_bytes.back())),
      "something keeps tensors of each step: a list of losses, a graph that is not freed",
      "loss.detach() or .item() where results are kept; torch.cuda.memory._record_memory_history"};
}

// What the process did, not a device: with several devices it is said once, where it cost most.
bool is_of_process(const TraceFinding& finding) {
  return finding.cause == "sync_in_loop" || finding.cause == "small_kernels";
}

// `findings`: largest share first.
void say_once(std::vector<TraceFinding>* findings) {
  std::set<std::string> said;
  std::erase_if(*findings, [&](const TraceFinding& finding) {
    return is_of_process(finding) && !said.insert(finding.cause).second;
  });
}

}  // namespace

std::vector<TraceFinding> findings_of(const TraceReport& report) {
  std::vector<TraceFinding> findings;
  for (const MemoryUse& use : report.memory) {
    if (use.grows()) findings.push_back(growth_of(use));
  }
  for (const DeviceReport& device : report.devices) {
    DeviceFindings(report, device, &findings).find();
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  say_once(&findings);
  if (report.own) use_checks_of_run(report.options.run.value_or(RunOfTrace{}), &findings);
  return findings;
}

void use_checks_of_run(const RunOfTrace& run, std::vector<TraceFinding>* findings) {
  for (TraceFinding& finding : *findings) {
    const std::string check = next_check_in_run(finding.cause, run);
    if (!check.empty()) finding.next_check = check;
  }
}

std::vector<std::string> cannot_tell(const TraceReport& report) {
  std::vector<std::string> open;
  if (report.devices.empty()) {
    open.push_back("anything about a device: absent records are no proof that it did nothing");
  }
  if (!report.own) {
    open.push_back(
        "how fast the job is without the profiler, which slows the host: score it without one");
  } else if (!report.own->ratio) {
    open.push_back(
        "how fast the job is without tracing: give the folder of its run, which has measured that");
  }
  if (!report.with_stack && !report.own) {
    open.push_back("which Python line a thread was in: the trace has no stacks (with_stack=True)");
  }
  open.push_back(
      "whether a thread that records nothing waits or works: locks, the GIL, cores and other "
      "processes are not in a trace");
  if (report.memory.empty() && !report.own) {
    open.push_back("what memory the job held: no record of it is there (profile_memory=True)");
  }
  if (!report.options.run || report.options.run->arithmetic.empty()) {
    open.push_back(
        "how much of the device's arithmetic was used (MFU, HFU): a trace tells neither the job's "
        "FLOPs nor the device's peak");
  }
  if (report.collectives > 0 && report.world_size.value_or(2) > 1) {
    open.push_back("whether this rank waited for others in its " +
                   std::to_string(report.collectives) +
                   " collectives, unless the traces of all ranks are given together");
  }
  return open;
}

}  // namespace traceml
