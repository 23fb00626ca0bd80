#pragma once
// What a profiler recorded of one process, as plain data: the reader of Chrome traces fills it, and
// so do collectors of a run's own activities (ports/activity_trace.h). Host and device times are on
// the process's one trace clock. The order of the events carries no meaning.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/phase.h"
#include "harness/core/units.h"

namespace traceml {

// Positions in vectors of TimelineEvents.
using NameIndex = std::uint32_t;
using ThreadIndex = std::uint32_t;
using StreamIndex = std::uint32_t;
using DeviceIndex = std::uint32_t;
using MemoryIndex = std::uint32_t;

enum class HostKind : std::uint8_t {
  kOperator,    // of PyTorch's dispatcher
  kAnnotation,  // a range with a name: record_function, ProfilerStep#N, an NVTX range
  kPython,      // a Python frame
  kCall,        // of the CUDA runtime or driver
  kOverhead     // the profiler's own work
};

// From `start` for `duration` on one thread. Negative durations may occur: they are judged, not
// used.
struct HostSpan {
  Nanos start{0};
  Nanos duration{0};
  std::optional<std::int64_t> correlation;  // of a call: shared with the device work that it caused
  std::optional<NameIndex> shape;           // of an operator's inputs: "8x3x32x32, 8x3x3x3"
  NameIndex name = 0;
  ThreadIndex thread = 0;
  HostKind kind = HostKind::kOperator;

  Nanos end() const { return start + duration; }
};

enum class DeviceKind : std::uint8_t { kKernel, kCopy, kMemset };

// One kernel, copy or memset on a stream.
struct DeviceSpan {
  Nanos start{0};
  Nanos duration{0};
  std::optional<std::int64_t> correlation;  // of the call that caused it; a graph's nodes share one
  std::optional<std::int64_t> bytes;        // of a copy or memset
  std::optional<std::int64_t> graph_node;   // id of the node of a captured graph
  NameIndex name = 0;
  StreamIndex stream = 0;
  std::optional<NameIndex> shape;           // of a kernel's launch: "grid 128x1x1 block 256x1x1"
  std::optional<std::uint32_t> collective;  // position in TimelineEvents::collectives
  DeviceKind kind = DeviceKind::kKernel;

  Nanos end() const { return start + duration; }
};

// What is known of the collective that a communication kernel belongs to.
struct CollectiveFacts {
  std::string operation;                 // "allreduce"; empty: not told
  std::string group;                     // process group; empty: not told
  std::optional<std::int64_t> sequence;  // in its group, equal on all ranks
  std::optional<std::int64_t> elements_in, elements_out;
  std::optional<int> group_size;
  std::string type;  // "Float"; empty: not told
};

// What an allocator held after it gave or took back a block.
struct MemoryRecord {
  Nanos when{0};
  std::int64_t allocated_bytes = 0;            // by tensors
  std::optional<std::int64_t> reserved_bytes;  // by the allocator; 0 where it keeps none
  ThreadIndex thread = 0;
  MemoryIndex memory = 0;
};

struct HostThread {
  std::string process;  // ids as the trace has them, mostly numbers
  std::string thread;
  std::string name;  // empty: not told
};

struct DeviceStream {
  DeviceIndex device = 0;
  std::string stream;  // as the trace has it, mostly a number
};

// What the header of a trace says that this harness collected of its own run.
struct OwnTraceFacts {
  std::string arm;
  std::string collector;            // "CUPTI"; empty: no device was traced, host times alone
  std::string asked, seen, absent;  // kinds of activities, "kernel, memcpy"
  std::int64_t cycle = 0;           // of the schedule, from 0
  std::int64_t first_step = 0;      // of the traced window, of which this file begins
  std::int64_t queue_capacity = 0;  // batches that the arm's loader can hold ready
  std::int64_t dropped_records = 0;
  std::int64_t full_buffers = 0;    // that the collector had filled
  std::int64_t buffer_bytes = 0;    // of records, before they were written
  std::int64_t without_times = 0;   // device work whose times were lost; left out
  std::int64_t before_launch = 0;   // device work that starts before its launch call; left out
  std::int64_t clock_drift_ns = 0;  // between the collector's clock and the host's, over the file
  std::int64_t clock_error_ns = 0;  // of reading both at once
  std::int64_t operators = 0;  // of the framework, that were kept; 0: not asked for, or none ran
  std::int64_t dropped_operators = 0;  // for lack of room
  // What the event clock says of each phase, summed over the steps of the file; null where a step
  // lacks it. By index_of().
  std::array<std::optional<std::int64_t>, kPhaseCount> event_ns{};
  // Of a captured step: how many nodes its graph had when the phase began. A node's number in its
  // graph is the lower half of DeviceSpan::graph_node. Null: the phase is not captured.
  std::array<std::optional<std::int64_t>, kPhaseCount> graph_nodes_before{};
};

// What the reader could not put into the spans, for the trace's own verdict.
struct TimelineFacts {
  std::int64_t events = 0;            // all, of every kind
  std::int64_t sync_events = 0;       // device-side records of waits: no device work
  std::int64_t without_duration = 0;  // spans that never ended; left out
  std::int64_t zero_device_times =
      0;  // device work that starts at 0: its record was lost; left out
  // Greatest step of which all device times are multiples: 1000 where their decimals were lost, 250
  // where a double held them; 0 without device work.
  std::int64_t device_time_step_ns = 0;
  std::int64_t listed_devices = 0;     // devices that the header describes
  std::optional<std::string> devices;  // their names: "8 x NVIDIA H200"
  // Asked for, by the header: Python frames, shapes of operators, records of memory.
  bool with_stack = false;
  bool record_shapes = false;
  bool profile_memory = false;
  std::optional<OwnTraceFacts> own{};  // null: a profiler's trace
};

struct TimelineEvents {
  std::vector<std::string> names;  // each once
  std::vector<HostThread> threads;
  std::vector<std::string> devices;  // ids as the trace has them
  std::vector<DeviceStream> streams;
  std::vector<HostSpan> host;
  std::vector<DeviceSpan> device;
  std::vector<CollectiveFacts> collectives;
  std::vector<std::string> memories;  // "host", or the id of a device as the trace has it
  std::vector<MemoryRecord> memory;
  std::optional<int> rank, world_size;
  Nanos base{0};  // of the clock: base + start is comparable across the ranks of a machine
  TimelineFacts facts;
};

}  // namespace traceml
