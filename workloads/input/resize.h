#pragma once

#include <cstdint>
#include <vector>

#include "workloads/input/image.h"
#include "workloads/input/resize_kernels.h"
#include "workloads/input/resize_weights.h"

namespace traceml {

// Antialiased bilinear resize of 8-bit RGB: along rows, rounded to bytes, then across rows. Equal
// bit for bit to libtorch's interpolate(mode bilinear, antialias) of a uint8 channels_last tensor.
// One thread at a time; keeps its buffers.
class Resizer {
 public:
  explicit Resizer(ImageSize target, const ResizeKernels& kernels = runnable_kernels().best());

  // `target` gets height * width * 3 bytes, rows without gaps. kReadPadding bytes must be readable
  // behind the view's last pixel. `mirrored` flips left and right.
  void resize(const ImageView& source, bool mirrored, std::uint8_t* target);

  // Of a part of the view that need not begin or end at whole pixels.
  void resize(const ImageView& source, const Window& part, bool mirrored, std::uint8_t* target);

 private:
  ImageSize target_;
  const ResizeKernels* kernels_;
  AxisWeights across_;
  AxisWeights down_;
  std::size_t stride_;
  std::vector<std::uint8_t> narrowed_;  // source rows, resized along the row
};

}  // namespace traceml
