#include "harness/analysis/trace_report.h"

#include <algorithm>
#include <utility>

#include "harness/analysis/timeline_names.h"
#include "harness/analysis/trace_findings.h"

namespace traceml {
namespace {

constexpr std::size_t kOthers = 3;

LongGap in_words(const Timeline& timeline, const Situations& situations, const Gap& gap,
                 Nanos origin) {
  const auto& device = timeline.events.device;
  LongGap words;
  words.when = {gap.when.begin - origin, gap.when.end - origin};
  words.before = timeline.name_of(device[gap.before]);
  words.after = timeline.name_of(device[gap.after]);
  words.cause = causes_of(timeline, situations, gap).main();
  if (!gap.launch) return words;
  const HostSpan& launch = timeline.events.host[*gap.launch];
  words.launch = timeline.name_of(launch);
  words.launched = launch.start - gap.when.begin;
  words.thread = thread_in_words(timeline, *gap.thread);
  words.where = whereabouts_in(timeline, gap);
  words.others = others_in(timeline, *gap.thread, gap.when, kOthers);
  return words;
}

void add_gaps(const Timeline& timeline, const Situations& situations, DeviceGaps all,
              const TraceOptions& options, DeviceReport* report) {
  std::vector<Gap>& gaps = all.gaps;
  report->causes = causes_of(timeline, situations, gaps);
  Nanos idle = report->time.idle;
  for (const Gap& gap : gaps) idle -= gap.length();
  CauseShare& unselected = report->causes[static_cast<std::size_t>(IdleCause::kNotSelected)];
  unselected = {idle, all.unselected};
  std::erase_if(gaps, [&](const Gap& gap) { return gap.length() < options.long_gap; });
  report->long_gaps = static_cast<std::int64_t>(gaps.size());
  for (const Gap& gap : gaps) report->long_total += gap.length();
  report->gap_events = events_against_gaps(timeline, gaps, report->time.extent);
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.length() > b.length(); });
  gaps.resize(std::min(gaps.size(), options.most_rows));
  for (const Gap& gap : gaps) {
    report->gaps.push_back(in_words(timeline, situations, gap, report->time.extent.begin));
  }
}

std::optional<DeviceTime> other_time(const Timeline& timeline, SelectionKind kind,
                                     SelectionKind ours, const std::string& device) {
  if (kind == ours) return std::nullopt;
  const Selection selection = select_work(timeline, kind);
  if (selection.kind != kind) return std::nullopt;  // the trace has no such thing
  for (DeviceTime& time : device_times(timeline, selection)) {
    if (time.device == device) return std::move(time);
  }
  return std::nullopt;
}

void add_devices(const Timeline& timeline, const Situations& situations, const Selection& selection,
                 TraceReport* report) {
  const auto& devices = timeline.events.devices;
  for (DeviceTime& time : device_times(timeline, selection)) {
    DeviceReport one;
    const auto place = std::find(devices.begin(), devices.end(), time.device);
    const auto device = static_cast<DeviceIndex>(place - devices.begin());
    one.whole = other_time(timeline, SelectionKind::kWhole, selection.kind, time.device);
    one.hta = other_time(timeline, SelectionKind::kHta, selection.kind, time.device);
    one.time = std::move(time);
    one.idle = idle_range(report->trust, one.time);
    add_gaps(timeline, situations, gaps_of(timeline, selection, device), report->options, &one);
    one.copies = copy_totals(timeline, selection, device);
    report->devices.push_back(std::move(one));
  }
}

void add_facts(const Timeline& timeline, TraceReport* report) {
  const TimelineEvents& events = timeline.events;
  report->rank = events.rank;
  report->world_size = events.world_size;
  report->events = events.facts.events;
  report->host_events = static_cast<std::int64_t>(events.host.size());
  report->device_events = static_cast<std::int64_t>(events.device.size());
  report->sync_events = events.facts.sync_events;
  for (std::size_t t = 0; t < events.threads.size(); ++t) {
    if (timeline.thread_begin[t] < timeline.thread_begin[t + 1]) ++report->threads;
  }
  report->listed_devices = events.facts.devices;
  report->with_stack =
      std::any_of(events.host.begin(), events.host.end(),
                  [](const HostSpan& span) { return span.kind == HostKind::kPython; });
  report->all_steps = static_cast<std::int64_t>(steps_of(timeline).size());
}

}  // namespace

TraceReport explain_timeline(const Timeline& timeline, const TraceOptions& options,
                             const std::string& file) {
  TraceReport report;
  report.file = file;
  report.options = options;
  add_facts(timeline, &report);
  report.trust = judge_trust(timeline);
  const Selection selection =
      select_work(timeline, options.selection.value_or(usual_selection(timeline)));
  const Situations situations(timeline);
  report.selection = selection.kind;
  report.selected_work = static_cast<std::int64_t>(selection.work.size());
  report.lag = selection.lag;
  add_devices(timeline, situations, selection, &report);
  report.steps = step_totals(timeline, selection);
  report.phases = phase_totals(timeline, selection);
  report.kernels = kernel_totals(timeline, selection);
  report.median_kernel = median_kernel(timeline, selection);
  report.operators = operator_totals(timeline, selection);
  report.copies = copy_totals(timeline, selection);
  report.lag_of_launches = launch_lag(timeline, selection);
  report.waiting = waiting_calls(timeline, situations, selection);
  report.blocked = blocked_calls(timeline, selection, options.most_rows);
  report.silences = host_silences(timeline, selection);
  report.memory = memory_use(timeline, selection);
  for (const KernelTotal& kernel : report.kernels) {
    if (is_communication(kernel.name)) report.collectives += kernel.count;
  }
  report.own = own_trace_figures(timeline, selection, options.run);
  report.findings = findings_of(report);
  report.cannot_tell = cannot_tell(report);
  return report;
}

}  // namespace traceml
