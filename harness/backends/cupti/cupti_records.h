#pragma once
// From CUPTI's records to the plain data of a timeline. No call of CUPTI in here: tests make
// records by hand.

#include <cupti.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "harness/backends/cupti/cupti_clock.h"
#include "harness/core/timeline_events.h"

namespace traceml {

// The name of a runtime or driver call by its number.
using CallName = std::function<std::string(CUpti_CallbackDomain domain, CUpti_CallbackId call)>;

class CuptiRecords {
 public:
  // `training_thread` becomes threads[0]. What began before `begin` is left out.
  CuptiRecords(const ClockMap& clock, Nanos begin, std::uint32_t training_thread, CallName name);

  void add(const CUpti_Activity& record);

  // All that was added. Device work without times, and such as began before its launch call did,
  // is counted and left out. facts.own has those counts, and the kinds that were seen and were not.
  TimelineEvents take();

 private:
  void add_kernel(const CUpti_ActivityKernel10& kernel);
  template <class Copy>
  void add_copy(const Copy& copy);  // within a device, or between two
  void add_memset(const CUpti_ActivityMemset4& memset);
  void add_call(const CUpti_ActivityAPI& call);
  void add_overhead(const CUpti_ActivityOverhead3& overhead);
  void add_work(DeviceSpan span, std::uint64_t start, std::uint64_t end, std::uint32_t device,
                std::uint32_t stream, std::uint32_t correlation, std::uint64_t graph_node);
  void leave_out_early_work();
  void tell_kinds();

  ThreadIndex thread_of(std::uint32_t id);
  StreamIndex stream_of(std::uint32_t device, std::uint32_t stream);
  NameIndex name_index(const std::string& name);
  NameIndex call_index(CUpti_CallbackDomain domain, CUpti_CallbackId call);
  NameIndex kernel_index(const char* mangled);

  ClockMap clock_;
  Nanos begin_;
  CallName call_name_;
  TimelineEvents events_;
  OwnTraceFacts own_;
  std::map<CUpti_ActivityKind, std::int64_t> seen_;
  std::unordered_map<std::string, NameIndex> names_;
  std::unordered_map<const char*, NameIndex> kernels_;  // by CUPTI's own text
  std::map<std::pair<int, CUpti_CallbackId>, NameIndex> calls_;
  std::map<std::uint32_t, ThreadIndex> threads_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, StreamIndex> streams_;
  std::map<std::uint32_t, DeviceIndex> devices_;
};

// The kinds that are asked for, with the words for them.
struct CollectedKind {
  CUpti_ActivityKind kind;
  const char* name;
};
inline constexpr CollectedKind kCollected[] = {
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernel"},
    {CUPTI_ACTIVITY_KIND_MEMCPY, "memcpy"},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, "peer memcpy"},
    {CUPTI_ACTIVITY_KIND_MEMSET, "memset"},
    {CUPTI_ACTIVITY_KIND_RUNTIME, "runtime"},
    {CUPTI_ACTIVITY_KIND_DRIVER, "driver"},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "synchronisation"},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, "overhead"}};

}  // namespace traceml
