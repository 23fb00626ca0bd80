#pragma once
// One kernel from decoded pixels to rows of a batch: crop, antialiased bilinear resize, flip and,
// for float32, normalisation. No CUDA type here.

#include <array>
#include <cstddef>
#include <cstdint>

#include "harness/ports/device_clock.h"

namespace traceml {

// Where a row of the batch comes from. Device memory.
struct CropImage {
  const std::uint8_t* pixels = nullptr;  // the crop's first one; RGB, interleaved
  std::int32_t pitch = 0;                // bytes from row to row
  std::int32_t width = 0;                // of the crop, pixels
  std::int32_t height = 0;
  std::int32_t columns = 0;  // of the crop that hold pixels; those behind them repeat the last one
  std::int32_t rows = 0;
  std::int32_t row = 0;  // of the batch
  std::int64_t label = 0;
  bool mirrored = false;  // left to right
};

// So many fit into a kernel's parameters.
inline constexpr int kMostCrops = 64;

struct CropResizeRequest {
  std::array<CropImage, kMostCrops> images;
  int count = 0;
  int size = 0;  // of the results, pixels, square
  // Of the batch: rows of size * size * 3 values in NHWC, uint8 or float32 as byte * scale[c] +
  // shift[c]; labels.
  void* values = nullptr;
  bool as_float = false;
  std::array<float, 3> scale{};
  std::array<float, 3> shift{};
  std::int64_t* labels = nullptr;

  void add(const CropImage& image) { images[static_cast<std::size_t>(count++)] = image; }
};

// Queues it; nothing for no images. Throws RunError.
void queue_crop_resize(const CropResizeRequest& request, DeviceQueue queue);

}  // namespace traceml
