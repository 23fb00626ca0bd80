#include "workloads/gpu_input/gpu_slots.h"

#include "workloads/input/normalise.h"
#include "workloads/input/sample_pipeline.h"

namespace traceml {

namespace {

// What the CPU's loader makes of a byte, as byte * scale + shift.
void set_normalisation(CropResizeRequest* request) {
  const std::array<std::uint8_t, 3> black{0, 0, 0};
  const std::array<std::uint8_t, 3> white{255, 255, 255};
  normalise(black, request->shift.data());
  normalise(white, request->scale.data());
  for (std::size_t c = 0; c < request->scale.size(); ++c) {
    request->scale[c] = (request->scale[c] - request->shift[c]) / 255.0F;
  }
}

}  // namespace

GpuSlots::GpuSlots(int slots, int batch_size, int image_size, SampleType type, int parts)
    : batch_size_(batch_size),
      image_size_(image_size),
      as_float_(type == SampleType::kFloat32),
      slots_(static_cast<std::size_t>(slots)) {
  set_normalisation(&normalisation_);
  const auto rows = static_cast<std::size_t>(batch_size);
  for (Slot& slot : slots_) {
    slot.images = allocate_gpu(rows * bytes_per_sample(image_size, type), MemoryKind::kDevice);
    slot.labels = allocate_gpu(rows * sizeof(std::int64_t), MemoryKind::kDevice);
    slot.used = make_gpu_event();
    for (int part = 0; part < parts; ++part) slot.made.push_back(make_gpu_event());
    slot.is_made.assign(slot.made.size(), 0);
  }
}

GpuBatch GpuSlots::batch(int slot, std::int64_t sequence) const {
  return {at(slot).images.get(), reinterpret_cast<std::int64_t*>(at(slot).labels.get()),
          batch_size_, sequence, slot};
}

void GpuSlots::aim(int slot, CropResizeRequest* request) const {
  request->count = 0;
  request->size = image_size_;
  request->values = at(slot).images.get();
  request->labels = reinterpret_cast<std::int64_t*>(at(slot).labels.get());
  request->as_float = as_float_;
  request->scale = normalisation_.scale;
  request->shift = normalisation_.shift;
}

void GpuSlots::wait_until_used(int slot, cudaStream_t stream) const {
  check_cuda(cudaStreamWaitEvent(stream, at(slot).used.get()));
}

void GpuSlots::made(int slot, int part, cudaStream_t stream) {
  const auto index = static_cast<std::size_t>(part);
  check_cuda(cudaEventRecord(at(slot).made[index].get(), stream));
  at(slot).is_made[index] = 1;
}

void GpuSlots::wait_until_made(int slot, cudaStream_t stream) {
  Slot& place = at(slot);
  for (std::size_t part = 0; part < place.made.size(); ++part) {
    if (place.is_made[part] == 0) continue;
    check_cuda(cudaStreamWaitEvent(stream, place.made[part].get()));
    place.is_made[part] = 0;
  }
}

void GpuSlots::used(int slot, cudaStream_t stream) {
  check_cuda(cudaEventRecord(at(slot).used.get(), stream));
}

}  // namespace traceml
