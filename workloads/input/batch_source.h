#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/records.h"
#include "harness/plan/config.h"

namespace traceml {

// A full batch in host memory. images: [count, size, size, 3] (NHWC), uint8, or float32 normalised
// with the ImageNet mean and standard deviation. labels: [count] int64. Valid until release().
struct HostBatch {
  const void* images = nullptr;
  const std::int64_t* labels = nullptr;
  std::int64_t count = 0;
  std::int64_t sequence = 0;  // index of the batch in this rank's endless sequence
  int slot = 0;
};

// An endless, deterministic sequence of batches: batch k of a rank depends on seed, rank, world
// size and k alone, never on the number of workers. Delivered in order. All calls from the training
// thread.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // Begins to produce at batch `first`; may allocate. The source is parked before.
  virtual void start(std::int64_t first) = 0;

  // The next batch; blocks until it is ready. Throws RunError naming a file that cannot be decoded
  // (input.on_error: stop). Allocates nothing.
  virtual HostBatch next() = 0;

  // Gives the slot back to the workers. Any thread, in any order.
  virtual void release(const HostBatch& batch) = 0;

  // Batches ready now; nullopt where the training thread decodes (workers: 0).
  virtual std::optional<std::int64_t> ready() const = 0;

  // Stops read-ahead and blocks the workers; everything ready is dropped. Batches taken must have
  // been released.
  virtual void park() = 0;

  // From the next start() on, the first `most` batches taken are recorded; 0: none is, and no clock
  // is read. At first 0.
  virtual void record(std::size_t /*most*/) {}

  // Those since start(), steps counted from 0; while parked. What is not the loader's to know is
  // not filled in.
  virtual std::vector<InputRecord> records() { return {}; }

  // The memory that batches lie in, slot by slot: images and labels by turns. It stays where it is
  // as long as the source. For page-locking; nobody writes through it.
  virtual std::vector<std::span<std::byte>> memory() { return {}; }

  // Over the batches delivered so far: "samples_replaced", "samples_grey", ...
  virtual std::map<std::string, std::int64_t> counters() const = 0;

  // input.on_error: replace: a sentence for each of the first replaced files, with its path
  // relative to the data set.
  virtual std::vector<std::string> replaced_files() const { return {}; }

  // Where its threads run and how willingly they give way, in a few words; empty without threads.
  virtual std::string threads() const { return {}; }
};

}  // namespace traceml
