#pragma once
// What one rank measured, as it lies in raw/: nothing here is derived. std::optional means null
// (not measured); a zero is a measured zero.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/phase.h"
#include "harness/core/units.h"

namespace traceml {

// The same stretch of work on the two clocks. They are never subtracted from each other.
struct DualTime {
  std::optional<Nanos> host;
  std::optional<Nanos> device;
  friend bool operator==(const DualTime&, const DualTime&) = default;
};

// One step of an instrumented arm. phases[i] is nullopt where phase i did not occur on this step.
struct StepRecord {
  ArmIndex arm;
  std::optional<WindowIndex> window;  // nullopt: a warm-up step
  StepIndex step;
  bool timed = false;  // false: warm-up and settle steps, outside every figure
  Nanos start_host{};
  std::array<std::optional<DualTime>, kPhaseCount> phases{};
  std::optional<std::int64_t> allocated_peak_bytes;
  std::optional<std::int64_t> reserved_peak_bytes;
  friend bool operator==(const StepRecord&, const StepRecord&) = default;
};

// One window as this rank saw it: barrier; start; `steps` steps; completion of the device's work;
// end; barrier.
struct WindowRecord {
  ArmIndex arm;
  int block = 0;  // arms are compared inside a block
  int order = 0;  // position of the window in its block, 0 = first
  WindowIndex window;
  std::int64_t steps = 0;
  Nanos start_host{};
  Nanos end_host{};
  std::optional<std::int64_t>
      queue_start;  // batches ready when the window began; null without a queue
  std::optional<std::int64_t> queue_end;
  std::optional<double> loss_first;
  std::optional<double> loss_last;
  std::string void_reason;  // empty: valid. Set from external records only, never from a time.
  std::optional<Millis>
      reported{};  // by a command, per unit of work; judged in place of end - start
  friend bool operator==(const WindowRecord&, const WindowRecord&) = default;
};

// One all-reduce of one gradient bucket. It overlaps backward and is no part of the phase sum.
struct CollectiveRecord {
  ArmIndex arm;
  std::optional<WindowIndex> window;
  StepIndex step;
  int bucket = 0;
  std::int64_t bytes = 0;
  Nanos issue_host{};  // the last gradient of the bucket was ready and the bucket was handed over
  std::optional<Nanos> arrival;  // this rank entered the collective, on the clock named below
  std::optional<Nanos> start;    // its transfer was posted
  std::optional<Nanos> end;      // the mean is in place
  std::string clock = "host";    // "host" or "device"
  friend bool operator==(const CollectiveRecord&, const CollectiveRecord&) = default;
};

enum class DeviceWhen { kBefore, kAfter };

// This rank's device just before the first barrier of a window, or just after its last.
struct DeviceRecord {
  WindowIndex window;
  DeviceWhen when = DeviceWhen::kBefore;
  std::optional<int> sm_clock_mhz;
  std::optional<int> memory_clock_mhz;
  std::optional<double> power_w;
  std::optional<int> temperature_c;
  std::optional<std::uint64_t> throttle_reasons;  // bits of NVML's clocks event reasons
  std::optional<int> other_processes;             // computing on it, besides this rank
  friend bool operator==(const DeviceRecord&, const DeviceRecord&) = default;
};

// One batch of the loader of an instrumented arm, as the training thread took it. Time points and
// durations are the host clock's, but for the copy; what it cost to make is summed over its
// samples, whichever workers made them.
struct InputRecord {
  ArmIndex arm;
  std::optional<WindowIndex> window;
  StepIndex step;                 // that took it
  std::int64_t batch = 0;         // in this rank's endless sequence
  Nanos begun{};                  // its first sample
  Nanos ready{};                  // its last sample was in place
  Nanos asked{};                  // the training thread wanted it
  Nanos taken{};                  // and had it
  std::optional<Nanos> released;  // its memory went back to the workers; null: not in this window
  Nanos read{};
  Nanos decode{};
  Nanos resize{};            // flip and normalisation included
  std::optional<Nanos> cpu;  // processor time of the thread in these three
  Nanos slot_wait{};         // of workers, before its samples: held back, for lack of a free batch
  std::optional<std::int64_t> queue_depth;  // batches ready when it was asked for; null: no queue
  std::string slowest_file;                 // of its samples; relative to the data set
  Nanos slowest{};                          // what that sample cost
  std::optional<Nanos> copy;  // to the device, the copy's own time there; null: not timed
  // Of workers, for the GPU's JPEG engines, their calls into them included; null: none are used.
  std::optional<Nanos> engine_wait{};
  friend bool operator==(const InputRecord&, const InputRecord&) = default;
};

struct RankRecords {
  Rank rank;
  std::vector<WindowRecord> windows;
  std::vector<StepRecord> steps;
  std::vector<CollectiveRecord> collectives;
  std::vector<DeviceRecord> devices{};  // empty: no monitor
  std::vector<InputRecord> inputs{};    // empty: no loader, or a run from before they were kept
};

}  // namespace traceml
