#include "workloads/input/resize_kernels.h"

namespace traceml {

namespace {

constexpr int kChannels = 3;

std::uint8_t to_byte(std::int32_t sum, int precision) {
  const std::int32_t value = sum >> precision;
  return static_cast<std::uint8_t>(value < 0 ? 0 : (value > 255 ? 255 : value));
}

void horizontal(const std::uint8_t* source, std::size_t source_stride, int rows,
                const AxisTable& axis, std::uint8_t* target, std::size_t target_stride) {
  const std::int32_t half = 1 << (axis.precision - 1);
  for (int y = 0; y < rows; ++y) {
    const std::uint8_t* row = source + y * source_stride;
    std::uint8_t* out = target + y * target_stride;
    for (int i = 0; i < axis.outputs; ++i, out += kChannels) {
      const std::uint8_t* pixel = row + static_cast<std::ptrdiff_t>(axis.first[i]) * kChannels;
      const std::int16_t* weights = axis.weights + static_cast<std::ptrdiff_t>(i) * axis.taps;
      std::int32_t red = half;
      std::int32_t green = half;
      std::int32_t blue = half;
      for (int k = 0; k < axis.count[i]; ++k, pixel += kChannels) {
        red += weights[k] * pixel[0];
        green += weights[k] * pixel[1];
        blue += weights[k] * pixel[2];
      }
      out[0] = to_byte(red, axis.precision);
      out[1] = to_byte(green, axis.precision);
      out[2] = to_byte(blue, axis.precision);
    }
  }
}

void vertical(const std::uint8_t* source, std::size_t source_stride, int row_bytes,
              const AxisTable& axis, std::uint8_t* target) {
  const std::int32_t half = 1 << (axis.precision - 1);
  for (int i = 0; i < axis.outputs; ++i, target += row_bytes) {
    const std::uint8_t* rows = source + axis.first[i] * source_stride;
    const std::int16_t* weights = axis.weights + static_cast<std::ptrdiff_t>(i) * axis.taps;
    for (int x = 0; x < row_bytes; ++x) {
      std::int32_t sum = half;
      for (int k = 0; k < axis.count[i]; ++k) sum += weights[k] * rows[k * source_stride + x];
      target[x] = to_byte(sum, axis.precision);
    }
  }
}

}  // namespace

const ResizeKernels& scalar_kernels() {
  static constexpr ResizeKernels kKernels{"scalar", horizontal, vertical};
  return kKernels;
}

}  // namespace traceml
