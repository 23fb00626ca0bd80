#include "harness/backends/local/simulated_trace.h"

#include <algorithm>

namespace traceml {
namespace {

constexpr Nanos kLaunch{0};  // host and device of spin pass together: a call takes no time

}  // namespace

void SimulatedTrace::clear() {
  events_ = {};
  names_.clear();
  events_.threads.push_back({"0", "1", "training"});
  events_.devices.push_back("0");
  events_.streams.push_back({.device = 0, .stream = "7"});
  events_.streams.push_back({.device = 0, .stream = "20"});
}

void SimulatedTrace::warm_up() {
  clear();
  state_ = State::kWarmUp;
}

void SimulatedTrace::begin() {
  clear();
  state_ = State::kOn;
}

TimelineEvents SimulatedTrace::end() {
  OwnTraceFacts facts;
  facts.collector = name();
  facts.asked = "kernel, memcpy, runtime";
  facts.seen = facts.asked;
  events_.facts.own = facts;
  events_.facts.device_time_step_ns = 1;
  if (real_ != nullptr) events_.base = unix_base(*real_);
  state_ = State::kOff;
  TimelineEvents taken = std::move(events_);
  clear();
  return taken;
}

std::int64_t SimulatedTrace::stop() noexcept {
  state_ = State::kOff;
  return static_cast<std::int64_t>(events_.device.size() * sizeof(DeviceSpan) +
                                   events_.host.size() * sizeof(HostSpan));
}

void SimulatedTrace::add_work(std::string_view name, Nanos from, Nanos to, Stream stream) {
  if (state_ == State::kOff || to <= from) return;
  const bool copies = name.find("Memcpy") != std::string_view::npos;
  ++correlation_;
  HostSpan call;
  call.start = from;
  call.duration = std::min(kLaunch, to - from);
  call.correlation = correlation_;
  call.name = name_index(copies ? "cudaMemcpyAsync" : "cudaLaunchKernel");
  call.kind = HostKind::kCall;
  events_.host.push_back(call);
  DeviceSpan work;
  work.start = from;
  work.duration = to - from;
  work.correlation = correlation_;
  work.name = name_index(name);
  work.stream = static_cast<StreamIndex>(stream);
  work.kind = copies ? DeviceKind::kCopy : DeviceKind::kKernel;
  events_.device.push_back(work);
}

NameIndex SimulatedTrace::name_index(std::string_view name) {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  const auto index = static_cast<NameIndex>(events_.names.size());
  events_.names.emplace_back(name);
  names_.emplace(name, index);
  return index;
}

}  // namespace traceml
