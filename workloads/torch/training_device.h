#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/plan/config.h"
#include "harness/ports/device_clock.h"
#include "harness/ports/phase_marks.h"
#include "harness/ports/workload.h"
#include "workloads/input/batch_source.h"
#include "workloads/torch/batch_feed.h"
#include "workloads/torch/input_provider.h"

namespace traceml {

// A step, from forward to optimizer, on a batch that stays in one place; returns the loss.
using StepBody = std::function<at::Tensor(PhaseMarks* marks)>;

// A step that was captured once and is launched as a whole.
class StepGraph {
 public:
  virtual ~StepGraph() = default;

  // Queues one step. Its loss lies in loss() until the next launch of any graph of the device. The
  // marks get their device times only from a graph with events.
  virtual void launch(PhaseMarks* marks) = 0;
  virtual const at::Tensor& loss() const = 0;
  virtual std::vector<GraphBorder> borders() const = 0;  // in order
};

// x * scale + shift for each channel.
struct Normalisation {
  at::Tensor scale;  // [1, 3, 1, 1], float32, on the device
  at::Tensor shift;
};

// What a rank trains on, beside what libtorch does alike on every device. Training thread only.
class TrainingDevice {
 public:
  virtual ~TrainingDevice() = default;

  virtual at::Device device() const = 0;

  // Where training queues its work; {} where calls return when the work is done.
  virtual DeviceQueue queue() const = 0;

  // Throws UsageError for a precision or an execution that this device does not have.
  virtual void require_fit(const WorkloadConfig& config) const = 0;

  // The arithmetic of matrix products and convolutions from now on.
  virtual void use_precision(Precision precision) = 0;

  // Blocks until all queued work is done.
  virtual void finish() = 0;

  // A feed of the loader's batches on this device.
  virtual std::unique_ptr<BatchFeed> feed_of(std::unique_ptr<BatchSource> source,
                                             const ArmConfig& arm) = 0;

  // A feed of batches that this device decodes (input.decode), opened by `inputs`. Throws
  // UsageError on a device that does not.
  virtual std::unique_ptr<BatchFeed> decoding_feed_of(InputProvider& inputs,
                                                      const ArmConfig& arm) = 0;

  // bytes: uint8 [N, 3, H, W] in NHWC memory, with labels, into `out`: float32 or bfloat16 in any
  // memory format, allocated.
  virtual void normalize(const ArrivedBatch& bytes, const Normalisation& by,
                         const ArrivedBatch& out) = 0;

  // Captures `body`, which has been run at least three times before; with_events: with an event
  // record where each phase begins. Of a device that fits workload.execution: graph alone.
  virtual std::unique_ptr<StepGraph> capture(const StepBody& body, bool with_events) = 0;

  // Of libtorch's allocator for this device since the last call; nullopt on a CPU.
  virtual std::optional<MemoryPeaks> take_peaks() = 0;

  // How often that allocator has asked the driver for memory.
  virtual std::int64_t driver_allocations() const = 0;

  // For reports: "cudnn", "cudnn_benchmark".
  virtual std::map<std::string, std::string> facts() const = 0;
};

std::unique_ptr<TrainingDevice> make_cpu_device();

// GPU `index` of those that CUDA shows to this process: it and a stream of its own are current on
// this thread from now on. cuDNN's search for the fastest algorithm holds for the process. Throws
// NotBuilt without CUDA.
std::unique_ptr<TrainingDevice> make_cuda_device(int index, bool cudnn_benchmark);

}  // namespace traceml
