#include "harness/backends/cupti/cupti_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "harness/backends/cupti/cupti_names.h"

namespace traceml {

CuptiRecords::CuptiRecords(const ClockMap& clock, Nanos begin, std::uint32_t training_thread,
                           CallName name)
    : clock_(clock), begin_(begin), call_name_(std::move(name)) {
  thread_of(training_thread);
  own_.collector = "CUPTI";
  own_.clock_drift_ns = clock.drift().count();
  own_.clock_error_ns = clock.error().count();
}

void CuptiRecords::add(const CUpti_Activity& record) {
  ++seen_[record.kind];
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return add_kernel(reinterpret_cast<const CUpti_ActivityKernel10&>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return add_copy(reinterpret_cast<const CUpti_ActivityMemcpy6&>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return add_copy(reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return add_memset(reinterpret_cast<const CUpti_ActivityMemset4&>(record));
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return add_call(reinterpret_cast<const CUpti_ActivityAPI&>(record));
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return add_overhead(reinterpret_cast<const CUpti_ActivityOverhead3&>(record));
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:  // the call that waited is there, too
      ++events_.facts.sync_events;
      return;
    default:
      return;
  }
}

void CuptiRecords::add_kernel(const CUpti_ActivityKernel10& kernel) {
  DeviceSpan span;
  span.kind = DeviceKind::kKernel;
  span.name = kernel_index(kernel.name);
  span.shape = name_index(fmt::format("grid {}x{}x{} block {}x{}x{}", int{kernel.gridX},
                                      int{kernel.gridY}, int{kernel.gridZ}, int{kernel.blockX},
                                      int{kernel.blockY}, int{kernel.blockZ}));
  add_work(span, kernel.start, kernel.end, kernel.deviceId, kernel.streamId, kernel.correlationId,
           kernel.graphNodeId);
}

template <class Copy>
void CuptiRecords::add_copy(const Copy& copy) {
  DeviceSpan span;
  span.kind = DeviceKind::kCopy;
  span.name = name_index(copy_name(copy.copyKind, copy.srcKind, copy.dstKind));
  span.bytes = static_cast<std::int64_t>(copy.bytes);
  add_work(span, copy.start, copy.end, copy.deviceId, copy.streamId, copy.correlationId,
           copy.graphNodeId);
}

void CuptiRecords::add_memset(const CUpti_ActivityMemset4& memset) {
  DeviceSpan span;
  span.kind = DeviceKind::kMemset;
  span.name = name_index(memset_name(memset.memoryKind));
  span.bytes = static_cast<std::int64_t>(memset.bytes);
  add_work(span, memset.start, memset.end, memset.deviceId, memset.streamId, memset.correlationId,
           memset.graphNodeId);
}

void CuptiRecords::add_work(DeviceSpan span, std::uint64_t start, std::uint64_t end,
                            std::uint32_t device, std::uint32_t stream, std::uint32_t correlation,
                            std::uint64_t graph_node) {
  if (start == 0 || end < start) {  // CUPTI's buffers of the device ran out
    ++own_.without_times;
    return;
  }
  span.start = clock_.steady(start);
  span.duration = clock_.steady(end) - span.start;
  if (span.start < begin_) return;
  span.correlation = correlation;
  if (graph_node != 0) span.graph_node = static_cast<std::int64_t>(graph_node);
  span.stream = stream_of(device, stream);
  events_.device.push_back(span);
}

void CuptiRecords::add_call(const CUpti_ActivityAPI& call) {
  HostSpan span;
  span.kind = HostKind::kCall;
  span.start = clock_.steady(call.start);
  span.duration = clock_.steady(call.end) - span.start;
  if (call.start == 0 || span.start < begin_) return;
  span.correlation = call.correlationId;
  span.name = call_index(call.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API
                                                                  : CUPTI_CB_DOMAIN_DRIVER_API,
                         call.cbid);
  span.thread = thread_of(call.threadId);
  events_.host.push_back(span);
}

void CuptiRecords::add_overhead(const CUpti_ActivityOverhead3& overhead) {
  HostSpan span;
  span.kind = HostKind::kOverhead;
  span.start = clock_.steady(overhead.start);
  span.duration = clock_.steady(overhead.end) - span.start;
  if (overhead.start == 0 || span.start < begin_) return;
  span.name = name_index(overhead_name(overhead.overheadKind));
  span.thread = thread_of(overhead.objectId.pt.threadId);
  events_.host.push_back(span);
}

TimelineEvents CuptiRecords::take() {
  leave_out_early_work();
  tell_kinds();
  std::int64_t& step = events_.facts.device_time_step_ns;
  for (const DeviceSpan& span : events_.device) {
    if (step == 1) break;
    step = std::gcd(std::gcd(step, span.start.count()), span.duration.count());
  }
  events_.facts.own = own_;
  return std::move(events_);
}

// No kernel runs before it is launched: such a record's times are wrong ones.
void CuptiRecords::leave_out_early_work() {
  std::unordered_map<std::int64_t, Nanos> launched;
  for (const HostSpan& call : events_.host) {
    if (!call.correlation) continue;
    const auto [first, is_new] = launched.try_emplace(*call.correlation, call.start);
    if (!is_new) first->second = std::min(first->second, call.start);
  }
  own_.before_launch +=
      static_cast<std::int64_t>(std::erase_if(events_.device, [&](const DeviceSpan& span) {
        const auto call = launched.find(span.correlation.value_or(0));
        return call != launched.end() && span.start < call->second;
      }));
}

void CuptiRecords::tell_kinds() {
  const auto list = [](std::string* words, const char* word) {
    *words += (words->empty() ? "" : ", ") + std::string(word);
  };
  for (const CollectedKind& one : kCollected) {
    list(&own_.asked, one.name);
    list(seen_.contains(one.kind) ? &own_.seen : &own_.absent, one.name);
  }
}

ThreadIndex CuptiRecords::thread_of(std::uint32_t id) {
  const auto next = static_cast<ThreadIndex>(events_.threads.size());
  const auto [place, is_new] = threads_.try_emplace(id, next);
  if (is_new) events_.threads.push_back({"0", std::to_string(id), ""});
  return place->second;
}

StreamIndex CuptiRecords::stream_of(std::uint32_t device, std::uint32_t stream) {
  const auto [on, is_new_device] =
      devices_.try_emplace(device, static_cast<DeviceIndex>(events_.devices.size()));
  if (is_new_device) events_.devices.push_back(std::to_string(device));
  const auto next = static_cast<StreamIndex>(events_.streams.size());
  const auto [place, is_new] = streams_.try_emplace({device, stream}, next);
  if (is_new) events_.streams.push_back({.device = on->second, .stream = std::to_string(stream)});
  return place->second;
}

NameIndex CuptiRecords::name_index(const std::string& name) {
  const auto next = static_cast<NameIndex>(events_.names.size());
  const auto [place, is_new] = names_.try_emplace(name, next);
  if (is_new) events_.names.push_back(name);
  return place->second;
}

NameIndex CuptiRecords::kernel_index(const char* mangled) {
  const auto known = kernels_.find(mangled);
  if (known != kernels_.end()) return known->second;
  return kernels_.emplace(mangled, name_index(kernel_name(mangled))).first->second;
}

NameIndex CuptiRecords::call_index(CUpti_CallbackDomain domain, CUpti_CallbackId call) {
  const std::pair key{static_cast<int>(domain), call};
  const auto known = calls_.find(key);
  if (known != calls_.end()) return known->second;
  const std::string name = call_name_(domain, call);
  return calls_.emplace(key, name_index(std::string(without_version(name)))).first->second;
}

}  // namespace traceml
