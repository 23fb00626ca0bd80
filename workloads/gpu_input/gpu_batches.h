#pragma once
// Batches that are decoded on a GPU and lie in its memory. No vendor type here:
// make_gpu_batches.cpp is the real thing, make_gpu_batches_absent.cpp stands in where
// TRACEML_WITH_CUDA is off.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/records.h"
#include "harness/plan/config.h"
#include "harness/ports/device_clock.h"
#include "workloads/input/dataset.h"
#include "workloads/input/loader_cores.h"

namespace traceml {

// In device memory. images: [count, size, size, 3] (NHWC), uint8, or float32 normalised with the
// ImageNet mean and standard deviation. labels: [count] int64. Valid until release().
struct GpuBatch {
  void* images = nullptr;
  std::int64_t* labels = nullptr;
  std::int64_t count = 0;
  std::int64_t sequence = 0;  // index of the batch in this rank's endless sequence
  int slot = 0;
};

// As BatchSource, whose sequence of samples, crops and flips it gives for the same seed. All calls
// from the training thread, on whose GPU it is; none waits for the device while it is not parked,
// but decode().
class GpuBatchSource {
 public:
  virtual ~GpuBatchSource() = default;

  virtual void start(std::int64_t first) = 0;

  // The next batch; blocks until its work is queued, or with decodes_on_queue() its files are read.
  // What is put into the training queue from then on finds it complete, after decode() where that
  // is needed. Throws RunError naming a file that cannot be decoded (input.on_error: stop).
  // Allocates nothing.
  virtual GpuBatch next() = 0;

  // Whether the training thread decodes (input.decode: gpu_naive): image by image, in the training
  // queue, and waits there. decode() throws as next().
  virtual bool decodes_on_queue() const { return false; }
  virtual void decode(const GpuBatch& /*batch*/) {}

  // What lies in the training queue so far is the last that uses the batch.
  virtual void release(const GpuBatch& batch) = 0;

  // Batches that next() would give without waiting.
  virtual std::int64_t ready() const = 0;

  // Waits for the workers and for all that they queued. Batches taken must have been released.
  virtual void park() = 0;

  virtual void record(std::size_t most) = 0;
  virtual std::vector<InputRecord> records() = 0;

  // Beside those of a BatchSource: "samples_hardware" and "samples_cuda" of the samples delivered,
  // by what decoded them; those of neither were decoded by libjpeg-turbo.
  virtual std::map<std::string, std::int64_t> counters() const = 0;
  virtual std::vector<std::string> replaced_files() const = 0;
  virtual std::string threads() const = 0;

  // "nvJPEG 13.0.1, 7 engines of 1 core; hardware_share 0.9 (auto)".
  virtual std::string facts() const = 0;
};

// Where batches are decoded and used.
struct GpuPlace {
  int gpu = 0;           // of those that CUDA shows to this process
  DeviceQueue training;  // on it
};

// The batches of one arm on one rank, parked. On the training thread. Throws UsageError: as
// make_batch_source(), nvJPEG or the engines that input.hardware_share asks for are not there;
// NotBuilt without CUDA.
std::unique_ptr<GpuBatchSource> make_gpu_batches(const InputConfig& input,
                                                 const WorkloadConfig& workload, std::uint64_t seed,
                                                 Rank rank, int world_size,
                                                 std::shared_ptr<const Dataset> dataset,
                                                 const GpuPlace& place,
                                                 const LoaderCores& cores = {});

// What decodes on GPU `gpu`, in words, or why nothing does. To look makes a context on that GPU and
// on no other; what is current in the calling thread stays so.
struct GpuDecoding {
  std::string facts;     // "nvJPEG 13.0.1, 7 engines of 1 core"; empty: nothing
  std::string why_none;  // a sentence
  int engines = 0;
};
GpuDecoding find_gpu_decoding(int gpu);

}  // namespace traceml
