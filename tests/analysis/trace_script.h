#pragma once
// Plays a small training job on simulated threads and streams and records what a profiler would.
// Times are exact: a test knows every gap that it makes.

#include <map>
#include <string>
#include <vector>

#include "harness/analysis/trace_report.h"
#include "harness/core/timeline_events.h"

namespace traceml::testing {

constexpr Nanos us(double value) {
  return Nanos{static_cast<std::int64_t>(value * 1000)};
}

class TraceScript {
 public:
  TraceScript();

  // Threads: "main" is there. Later calls are on the thread and stream chosen last.
  TraceScript& on_thread(const std::string& thread);
  TraceScript& on_stream(const std::string& stream, const std::string& device = "0");

  Nanos now() const { return now_.at(thread_); }
  Nanos stream_free() const { return free_.at(stream_); }
  TraceScript& wait_until(Nanos time);  // the thread does nothing, and nothing is recorded
  TraceScript& idle(Nanos time) { return wait_until(now() + time); }

  TraceScript& open(HostKind kind, const std::string& name);
  TraceScript& close();
  TraceScript& span(HostKind kind, const std::string& name, Nanos duration);

  // The call takes `call`; the kernel starts when its stream is free, 4 us after the call at least.
  TraceScript& kernel(const std::string& name, Nanos duration, Nanos call = us(6));
  // A copy that the call waits for (blocking), or not.
  TraceScript& copy(const std::string& name, Nanos duration, std::int64_t bytes, bool blocking);
  // One call, many kernels, `between` apart.
  TraceScript& graph(int nodes, Nanos node, Nanos between);
  // Waits until the stream is free, and some more.
  TraceScript& synchronise(const std::string& call = "cudaStreamSynchronize");
  TraceScript& collective(std::int64_t sequence, Nanos start, Nanos end,
                          std::int64_t elements = 1 << 20);
  // The stream does nothing before `until`: it waits for another one.
  TraceScript& hold_stream(Nanos until);
  // What an allocator holds now; `memory`: "host" or a device.
  TraceScript& memory(const std::string& memory, std::int64_t allocated, std::int64_t reserved);
  // Of the span that was opened last: the shapes of its inputs.
  TraceScript& shaped(const std::string& shape);
  TraceScript& without_launch(const std::string& name, Nanos start, Nanos duration);

  TimelineEvents events() const { return events_; }

 private:
  NameIndex name(const std::string& text);
  DeviceSpan& work(DeviceKind kind, const std::string& text, Nanos start, Nanos duration);

  TimelineEvents events_;
  std::map<std::string, NameIndex> names_;
  std::map<std::string, ThreadIndex> threads_;
  std::map<std::string, StreamIndex> streams_;
  std::map<ThreadIndex, Nanos> now_;
  std::map<StreamIndex, Nanos> free_;
  std::map<ThreadIndex, std::vector<std::size_t>> open_;  // positions in events_.host
  ThreadIndex thread_ = 0;
  StreamIndex stream_ = 0;
  std::int64_t correlation_ = 100;
};

// A healthy step: a batch that is there, a copy from pinned memory, `kernels` kernels of 200 us
// that take 15 us to issue, so that the device is behind the host.
void healthy_step(TraceScript* script, int number, int kernels = 40);

TraceReport explained(const TraceScript& script, const TraceOptions& options = {});

std::vector<std::string> causes_of(const TraceReport& report);

}  // namespace traceml::testing
