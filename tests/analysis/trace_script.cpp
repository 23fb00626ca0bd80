#include "tests/analysis/trace_script.h"

#include <algorithm>

namespace traceml::testing {
namespace {

constexpr Nanos kStart{1'000'000'000};
constexpr Nanos kLatency = us(4);

}  // namespace

TraceScript::TraceScript() {
  events_.facts.device_time_step_ns = 1;
  on_thread("main").on_stream("7");
}

NameIndex TraceScript::name(const std::string& text) {
  const auto next = static_cast<NameIndex>(events_.names.size());
  const auto [known, is_new] = names_.try_emplace(text, next);
  if (is_new) events_.names.push_back(text);
  return known->second;
}

TraceScript& TraceScript::on_thread(const std::string& thread) {
  const auto next = static_cast<ThreadIndex>(events_.threads.size());
  const auto [known, is_new] = threads_.try_emplace(thread, next);
  if (is_new) events_.threads.push_back({"1", thread, ""});
  if (is_new) now_[next] = next == 0 ? kStart : now();
  thread_ = known->second;
  return *this;
}

TraceScript& TraceScript::on_stream(const std::string& stream, const std::string& device) {
  const auto place = std::find(events_.devices.begin(), events_.devices.end(), device);
  const auto index = static_cast<DeviceIndex>(place - events_.devices.begin());
  if (place == events_.devices.end()) events_.devices.push_back(device);
  const auto next = static_cast<StreamIndex>(events_.streams.size());
  const auto [known, is_new] = streams_.try_emplace(device + "/" + stream, next);
  if (is_new) events_.streams.push_back({index, stream});
  if (is_new) free_[next] = kStart;
  stream_ = known->second;
  return *this;
}

TraceScript& TraceScript::wait_until(Nanos time) {
  now_[thread_] = std::max(now(), time);
  return *this;
}

TraceScript& TraceScript::open(HostKind kind, const std::string& text) {
  HostSpan span;
  span.start = now();
  span.name = name(text);
  span.thread = thread_;
  span.kind = kind;
  open_[thread_].push_back(events_.host.size());
  events_.host.push_back(span);
  return *this;
}

TraceScript& TraceScript::close() {
  HostSpan& span = events_.host[open_[thread_].back()];
  open_[thread_].pop_back();
  span.duration = now() - span.start;
  return *this;
}

TraceScript& TraceScript::span(HostKind kind, const std::string& text, Nanos duration) {
  return open(kind, text).idle(duration).close();
}

DeviceSpan& TraceScript::work(DeviceKind kind, const std::string& text, Nanos start,
                              Nanos duration) {
  DeviceSpan work;
  work.start = start;
  work.duration = duration;
  work.name = name(text);
  work.stream = stream_;
  work.kind = kind;
  free_[stream_] = std::max(free_[stream_], start + duration);
  events_.device.push_back(work);
  return events_.device.back();
}

TraceScript& TraceScript::kernel(const std::string& text, Nanos duration, Nanos call) {
  open(HostKind::kCall, "cudaLaunchKernel");
  events_.host.back().correlation = ++correlation_;
  idle(call).close();
  work(DeviceKind::kKernel, text, std::max(stream_free(), now() + kLatency), duration).correlation =
      correlation_;
  return *this;
}

TraceScript& TraceScript::copy(const std::string& text, Nanos duration, std::int64_t bytes,
                               bool blocking) {
  open(HostKind::kCall, "cudaMemcpyAsync");
  events_.host.back().correlation = ++correlation_;
  idle(us(6));
  DeviceSpan& copied =
      work(DeviceKind::kCopy, text, std::max(stream_free(), now() + kLatency), duration);
  copied.correlation = correlation_;
  copied.bytes = bytes;
  if (blocking) wait_until(copied.end() + us(2));
  return close();
}

TraceScript& TraceScript::graph(int nodes, Nanos node, Nanos between) {
  open(HostKind::kCall, "cudaGraphLaunch");
  events_.host.back().correlation = ++correlation_;
  idle(us(20)).close();
  Nanos start = std::max(stream_free(), now() + kLatency);
  for (int i = 0; i < nodes; ++i) {
    DeviceSpan& one = work(DeviceKind::kKernel, "node_kernel", start, node);
    one.correlation = correlation_;
    one.graph_node = 9000 + i;
    start += node + between;
  }
  return *this;
}

TraceScript& TraceScript::synchronise(const std::string& call) {
  open(HostKind::kCall, call);
  events_.host.back().correlation = ++correlation_;
  return wait_until(stream_free()).idle(us(8)).close();
}

TraceScript& TraceScript::collective(std::int64_t sequence, Nanos start, Nanos end,
                                     std::int64_t elements) {
  open(HostKind::kCall, "cudaLaunchKernelExC");
  events_.host.back().correlation = ++correlation_;
  idle(us(6)).close();
  DeviceSpan& one = work(DeviceKind::kKernel, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)",
                         start, end - start);
  one.correlation = correlation_;
  one.collective = static_cast<std::uint32_t>(events_.collectives.size());
  CollectiveFacts facts;
  facts.operation = "allreduce";
  facts.group = "0";
  facts.sequence = sequence;
  facts.elements_in = facts.elements_out = elements;
  facts.group_size = 2;
  facts.type = "Float";
  events_.collectives.push_back(facts);
  return *this;
}

TraceScript& TraceScript::hold_stream(Nanos until) {
  free_[stream_] = std::max(free_[stream_], until);
  return *this;
}

TraceScript& TraceScript::memory(const std::string& memory, std::int64_t allocated,
                                 std::int64_t reserved) {
  auto& memories = events_.memories;
  const auto place = std::find(memories.begin(), memories.end(), memory);
  const auto index = static_cast<MemoryIndex>(place - memories.begin());
  if (place == memories.end()) memories.push_back(memory);
  events_.memory.push_back({now(), allocated, reserved, thread_, index});
  return *this;
}

TraceScript& TraceScript::shaped(const std::string& shape) {
  events_.host.back().shape = name(shape);
  return *this;
}

TraceScript& TraceScript::without_launch(const std::string& text, Nanos start, Nanos duration) {
  work(DeviceKind::kKernel, text, start, duration);
  return *this;
}

void healthy_step(TraceScript* script, int number, int kernels) {
  script->on_thread("main").on_stream("7");
  script->open(HostKind::kAnnotation, "ProfilerStep#" + std::to_string(number));
  script->span(HostKind::kAnnotation, "data_load", us(100));
  script->open(HostKind::kAnnotation, "h2d_copy");
  script->copy("Memcpy HtoD (Pinned -> Device)", us(300), 6'000'000, false).close();
  script->open(HostKind::kAnnotation, "forward");
  for (int i = 0; i < kernels; ++i) {
    script->open(HostKind::kOperator, "aten::conv2d").idle(us(5));
    script->kernel("conv_kernel", us(200)).idle(us(4)).close();
  }
  script->close();
  // The host waits where it is at most two steps ahead.
  script->wait_until(script->stream_free() - us(12'000)).close();
}

TraceReport explained(const TraceScript& script, const TraceOptions& options) {
  return explain_timeline(make_timeline(script.events()), options, "trace.json");
}

std::vector<std::string> causes_of(const TraceReport& report) {
  std::vector<std::string> causes;
  for (const TraceFinding& finding : report.findings) causes.push_back(finding.cause);
  return causes;
}

}  // namespace traceml::testing
