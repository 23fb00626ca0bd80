#pragma once
// What the selected device work was: kernels, copies, the delay from launch to start, phases,
// steps.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/timeline_selection.h"

namespace traceml {

struct KernelTotal {
  std::string name;
  std::int64_t count = 0;
  Nanos total{0}, longest{0};
  Nanos alone{0};  // while nothing else ran on the device: what it adds to busy by itself
};

// Kernels by name, most time first.
std::vector<KernelTotal> kernel_totals(const Timeline& timeline, const Selection& selection);

struct CopyTotal {
  std::string name;  // "Memcpy HtoD (Pinned -> Device)"
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  std::int64_t without_bytes = 0;  // events that do not tell
  Nanos total{0};

  // 10^9 bytes a second of the copies that tell their bytes; null where one does not.
  std::optional<double> gb_per_s() const;
};

// Copies and memsets by name, most time first; of one device, or of all.
std::vector<CopyTotal> copy_totals(const Timeline& timeline, const Selection& selection,
                                   std::optional<DeviceIndex> device = std::nullopt);

enum class LaunchState {
  kLaunchBound,  // kernels start as soon as they are launched: the device waits for the host
  kBalanced,     // neither
  kQueueFull     // launches wait for room in the queue: the host waits for the device
};

// From a kernel's launch call to its start; kernels of graphs left out.
struct LaunchLag {
  std::int64_t kernels = 0;
  Nanos from_begin_p50{0}, from_end_p5{0}, from_end_p50{0}, from_end_p95{0};
  Nanos calls{0};  // what the launch calls took, sum
  // Of the launches in each quarter of their step (host clock): median from the end of the call;
  // null without steps.
  static constexpr std::size_t kQuarters = 4;
  std::array<std::optional<Nanos>, kQuarters> quarters{};
  double prompt = 0;   // share that started within kRules.prompt_start of the call's end
  double blocked = 0;  // share of launch calls of at least kRules.blocked_launch
  LaunchState state = LaunchState::kBalanced;
};

// nullopt where no kernel has a launch.
std::optional<LaunchLag> launch_lag(const Timeline& timeline, const Selection& selection);

const char* name_of(LaunchState state);

// Median duration of the selected kernels; nullopt without kernels.
std::optional<Nanos> median_kernel(const Timeline& timeline, const Selection& selection);

// The ranges of one name: what they took on the host, and what was launched from within them.
struct PhaseTotal {
  std::string name;
  std::int64_t count = 0;
  Nanos host{0};         // sum of the ranges
  Nanos device_span{0};  // sum over ranges of first start to last end of their device work
  Nanos device_work{0};  // sum of that work
};

// By host time, most first.
std::vector<PhaseTotal> phase_totals(const Timeline& timeline, const Selection& selection);

struct StepTotal {
  std::string name;
  Nanos host{0};
  Nanos kernels{0}, copies{0};  // launched from within it
  std::int64_t work = 0;        // device events
};

std::vector<StepTotal> step_totals(const Timeline& timeline, const Selection& selection);

}  // namespace traceml
