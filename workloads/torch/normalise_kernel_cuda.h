#pragma once
// One kernel from a batch's bytes to what a network reads. No CUDA type here.

#include <cstdint>

#include "harness/ports/device_clock.h"

namespace traceml {

enum class NormalisedType { kFloat32, kBfloat16 };

// Device memory, aligned to 16 bytes. `bytes` is NHWC with three channels; values = byte * scale[c]
// + shift[c], in NHWC or, with `planar`, NCHW.
struct NormaliseRequest {
  const std::uint8_t* bytes = nullptr;
  void* values = nullptr;
  NormalisedType type = NormalisedType::kFloat32;
  bool planar = false;
  std::int64_t images = 0;
  std::int64_t pixels = 0;       // of one image
  const float* scale = nullptr;  // three each
  const float* shift = nullptr;
  const std::int64_t* labels_in = nullptr;  // one for each image, copied
  std::int64_t* labels_out = nullptr;
};

// Queues it. Returns the error's name, or null.
const char* queue_normalise(const NormaliseRequest& request, DeviceQueue queue);

}  // namespace traceml
