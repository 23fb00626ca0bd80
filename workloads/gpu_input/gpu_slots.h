#pragma once

#include <cstdint>
#include <vector>

#include "harness/plan/config.h"
#include "workloads/gpu_input/crop_resize.h"
#include "workloads/gpu_input/cuda_memory.h"
#include "workloads/gpu_input/gpu_batches.h"

namespace traceml {

// Places for batches in device memory, and the events that say when each has been made and used.
class GpuSlots {
 public:
  // A batch is made in at most `parts` parts.
  GpuSlots(int slots, int batch_size, int image_size, SampleType type, int parts);

  GpuBatch batch(int slot, std::int64_t sequence) const;

  // Begins a request for rows of this slot.
  void aim(int slot, CropResizeRequest* request) const;

  // Producer. `stream` may write into the slot once its last use is over: a wait on the device.
  void wait_until_used(int slot, cudaStream_t stream) const;
  // Producer. Part `part` of the slot's batch is made by what lies in `stream` so far.
  void made(int slot, int part, cudaStream_t stream);

  // Consumer. `stream` waits on the device for all parts that were made since the last use.
  void wait_until_made(int slot, cudaStream_t stream);
  void used(int slot, cudaStream_t stream);

 private:
  struct Slot {
    GpuMemory images;
    GpuMemory labels;
    GpuEvent used;
    std::vector<GpuEvent> made;
    std::vector<std::uint8_t> is_made;  // by part; a part is one producer's
  };
  Slot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
  const Slot& at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }

  int batch_size_;
  int image_size_;
  bool as_float_;
  CropResizeRequest normalisation_;  // its scale and shift alone
  std::vector<Slot> slots_;
};

}  // namespace traceml
