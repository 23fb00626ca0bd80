#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/records.h"
#include "harness/core/units.h"
#include "harness/plan/config.h"
#include "workloads/input/batch_source.h"

namespace traceml {

// A batch as it arrives on the training device: images [N, 3, H, W] in NHWC memory, uint8 or
// normalised float32; labels [N] int64.
struct ArrivedBatch {
  at::Tensor images;
  at::Tensor labels;
};

// The copies of batches to the device that were timed there.
struct CopyTimes {
  std::int64_t count = 0;
  std::int64_t bytes_each = 0;
  Nanos total{};
};

// Where the batches of one arm come from. Training thread only; at most one batch is out.
class BatchFeed {
 public:
  virtual ~BatchFeed() = default;

  // Begins at batch `first` of this rank's sequence. The feed is parked before.
  virtual void start(std::int64_t first) = 0;

  // The next batch, valid until release(). Blocks until the loader has it ready; throws RunError as
  // BatchSource::next does.
  virtual ArrivedBatch next() = 0;

  // Whether the batch still has to be decoded, by work that decode() queues and waits for in part:
  // work queued from then on finds it decoded.
  virtual bool decodes() const { return false; }
  virtual void decode() {}

  // Whether the batch still has to be brought to the device, and how: work queued from then on
  // finds it there.
  virtual bool transfers() const { return false; }
  virtual void transfer() {}

  // Whether copies are timed from the next start() on, with two events each; at first they are not.
  virtual void time_copies(bool /*on*/) {}
  virtual CopyTimes copies() const { return {}; }

  // As BatchSource::record and records; timed copies are in them.
  virtual void record(std::size_t /*most*/) {}
  virtual std::vector<InputRecord> records() { return {}; }

  // The bytes of the batch have been consumed by the work queued so far.
  virtual void release() = 0;

  // Stops read-ahead; a batch that is still out is released.
  virtual void park() = 0;

  virtual std::optional<std::int64_t> ready() const = 0;
  virtual std::map<std::string, std::int64_t> counters() const = 0;

  // As BatchSource::replaced_files.
  virtual std::vector<std::string> replaced_files() const { return {}; }

  // For reports, of this feed: "gpu_decode".
  virtual std::map<std::string, std::string> facts() const { return {}; }
};

// Batches of a loader, read in place in its slots.
std::unique_ptr<BatchFeed> make_loader_feed(std::unique_ptr<BatchSource> source,
                                            const ArmConfig& arm);

// The input-free reference: one random batch that lies on the device, with the shape, strides and
// types of a loader's batch. It depends on `seed` alone.
std::unique_ptr<BatchFeed> make_synthetic_feed(const ArmConfig& arm, std::uint64_t seed,
                                               at::Device device);

}  // namespace traceml
