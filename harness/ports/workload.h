#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/campaign.h"
#include "harness/core/ids.h"
#include "harness/core/records.h"
#include "harness/ports/device_clock.h"
#include "harness/ports/phase_marks.h"

namespace traceml {

// What a batch is when it reaches the device work that follows its arrival. A candidate and its
// reference must agree.
struct BatchContract {
  std::string dtype;                  // "uint8", "float32"
  std::vector<std::int64_t> shape;    // N, C, H, W
  std::vector<std::int64_t> strides;  // in elements
  std::string label_dtype;            // "int64"
  std::string device_work;            // what is done after arrival: "normalize to float32"
  friend bool operator==(const BatchContract&, const BatchContract&) = default;
};

// Of the device's allocator.
struct MemoryPeaks {
  std::int64_t allocated_peak_bytes = 0;
  std::int64_t reserved_peak_bytes = 0;
};

// How many nodes the graph of a captured step had when a phase began.
struct GraphBorder {
  Phase phase = Phase::kForward;
  std::int64_t nodes_before = 0;
};

struct WindowLosses {
  std::optional<double> first;
  std::optional<double> last;
};

// The training job of one rank, all arms of it. Arms share what they do not vary; at most one arm
// runs at a time. Only the training thread calls in. All members throw RunError for what stops the
// run.
class Workload {
 public:
  virtual ~Workload() = default;

  // prepare() calls `progress` on the training thread each time that a part of its work is done,
  // where it may take long: a file read. Before the first prepare().
  virtual void tell_progress_to(std::function<void()> /*progress*/) {}

  // Makes what this arm needs (its loader, parked; its model, where it is not shared). Collective
  // over ranks: called once for each arm, in the order of the arms, before any step.
  virtual void prepare(ArmIndex arm) = 0;

  // The contract of the arm's first batch, from the batch itself. After prepare(arm).
  virtual BatchContract contract(ArmIndex arm) = 0;

  // Makes `arm` current: restores parameters, momentum and buffers from the one snapshot of the
  // initial state, starts the arm's loader at batch `first_batch` of this rank's sequence (it wraps
  // epochs by itself). Outside every window.
  virtual void begin(ArmIndex arm, std::int64_t first_batch, Instrument instrument) = 0;

  // One training step of the current arm: input_wait, then [decode] h2d normalize forward loss
  // backward optimizer. marks == nullptr: a bare arm, no hook of any kind.
  virtual void step(PhaseMarks* marks) = 0;

  // Blocks until the training queue and the communication queue have done all steps so far.
  virtual void finish() = 0;

  // Batches that the current arm's loader holds ready now; nullopt without a queue.
  virtual std::optional<std::int64_t> queue_depth() const = 0;

  // Keeps the loss of the next step as the window's first; the last step's loss is always kept. No
  // host read here.
  virtual void mark_first_loss() = 0;

  // Parks the current arm's loader (threads blocked, no read-ahead) and reads the losses. After
  // finish().
  virtual WindowLosses end() = 0;

  // Collective records since begin(), step counted from 0 at begin(); arm and window are the
  // caller's to fill.
  virtual std::vector<CollectiveRecord> take_collectives() = 0;

  // Records of the batches taken since begin() by an instrumented arm with a loader, step counted
  // from 0 at begin(); arm and window are the caller's to fill. After end().
  virtual std::vector<InputRecord> take_input_records() { return {}; }

  // Where device marks go; {0} on a CPU.
  virtual DeviceQueue training_queue() const = 0;

  // Its peaks since the last call; nullopt on a CPU. The training thread calls it at the end of
  // each recorded step.
  virtual std::optional<MemoryPeaks> take_memory_peaks() { return std::nullopt; }

  // Of the current arm, where its step is a captured graph; empty elsewhere.
  virtual std::vector<GraphBorder> graph_borders() const { return {}; }

  // input.on_error: replace: a sentence for each of the first files of this rank that could not be
  // decoded, with its path relative to the data set.
  virtual std::vector<std::string> replaced_files() const { return {}; }

  // A digest of the parameters of all arms that exchange gradients, equal on all ranks of a healthy
  // run; nullopt where none does.
  virtual std::optional<std::uint64_t> parameters_digest() = 0;

  // Facts for reports ("dataset_images" = "302", "intra_op_threads" = "1") and counters
  // ("samples_replaced" = 2).
  virtual std::map<std::string, std::string> facts() const = 0;
  virtual std::map<std::string, std::int64_t> counters() const = 0;
};

}  // namespace traceml
