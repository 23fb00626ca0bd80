#pragma once
// Antialiased bilinear interpolation, output by output, as workloads/input/resize.h has it for the
// CPU (triangle filter, half-pixel centres, support of one output pixel, at least one input pixel;
// along rows, rounded to bytes, then across rows), in float32 and with weights computed where they
// are used. For host and device.

#include <cstdint>

namespace traceml {

struct AxisTaps {
  int begin = 0;  // first input
  int end = 0;    // behind the last
  float centre = 0;
  float inverse = 1;  // of the support
};

constexpr AxisTaps axis_taps(int output, int inputs, int outputs) {
  const float scale = static_cast<float>(inputs) / static_cast<float>(outputs);
  const float support = scale > 1.0F ? scale : 1.0F;
  const float centre = scale * (static_cast<float>(output) + 0.5F);
  const int begin = static_cast<int>(centre - support + 0.5F);
  const int end = static_cast<int>(centre + support + 0.5F);
  return {begin < 0 ? 0 : begin, end > inputs ? inputs : end, centre, 1.0F / support};
}

// Of one input, 0 at least; the weights of an output do not add up to 1 yet.
constexpr float tap_weight(const AxisTaps& taps, int input) {
  const float distance = (static_cast<float>(input) - taps.centre + 0.5F) * taps.inverse;
  const float weight = 1.0F - (distance < 0.0F ? -distance : distance);
  return weight > 0.0F ? weight : 0.0F;
}

constexpr float total_weight(const AxisTaps& taps) {
  float total = 0.0F;
  for (int i = taps.begin; i < taps.end; ++i) total += tap_weight(taps, i);
  return total;
}

// Weights of one output along a row, held where they are few.
struct RowTaps {
  static constexpr int kHeld = 8;  // crops up to 3 times the output
  AxisTaps taps;
  float unit = 0;  // 1 / total weight
  float held[kHeld] = {};

  constexpr int count() const { return taps.end - taps.begin; }
};

constexpr RowTaps row_taps(int output, int inputs, int outputs) {
  RowTaps row;
  row.taps = axis_taps(output, inputs, outputs);
  row.unit = 1.0F / total_weight(row.taps);
  for (int k = 0; k < RowTaps::kHeld; ++k) {
    row.held[k] = tap_weight(row.taps, row.taps.begin + k) * row.unit;
  }
  return row;
}

// To the nearest byte, as a float.
constexpr float rounded_to_byte(float value) {
  const float inside = value < 0.0F ? 0.0F : (value > 255.0F ? 255.0F : value);
  return static_cast<float>(static_cast<int>(inside + 0.5F));
}

struct Rgb {
  float values[3] = {};
};

// A pixel of a source row that was resized along the row. Columns from `columns` on have the value
// of the last one before.
constexpr Rgb along_row(const std::uint8_t* row, const RowTaps& across, int columns) {
  Rgb sum;
  const auto add = [&](int input, float weight) {
    const std::uint8_t* const pixel = row + 3 * (input < columns ? input : columns - 1);
    for (int c = 0; c < 3; ++c) sum.values[c] += weight * static_cast<float>(pixel[c]);
  };
  const int count = across.count();
  if (count <= RowTaps::kHeld) {
    for (int k = 0; k < RowTaps::kHeld; ++k) {
      if (k < count) add(across.taps.begin + k, across.held[k]);
    }
  } else {
    for (int i = across.taps.begin; i < across.taps.end; ++i) {
      add(i, tap_weight(across.taps, i) * across.unit);
    }
  }
  for (float& value : sum.values) value = rounded_to_byte(value);
  return sum;
}

// Where a crop lies. RGB, interleaved.
struct ResizeSource {
  const std::uint8_t* pixels = nullptr;
  std::int64_t pitch = 0;  // bytes from row to row
  int width = 0;           // of the crop, pixels
  int height = 0;
  // So many columns and rows of it hold pixels; those behind them have the value of the last one.
  int columns = 0;
  int rows = 0;
};

struct RgbPair {
  Rgb upper;
  Rgb lower;
};

// The outputs (x, y) and (x, y + 1) of a square, as bytes: most of their source rows are the same.
// The lower one means nothing where y is the last.
constexpr RgbPair resized_pair(const ResizeSource& source, int x, int y, int size) {
  const RowTaps across = row_taps(x, source.width, size);
  const AxisTaps upper = axis_taps(y, source.height, size);
  const AxisTaps lower = axis_taps(y + 1 < size ? y + 1 : y, source.height, size);
  RgbPair pair;
  for (int row = upper.begin; row < lower.end; ++row) {
    const int from = row < source.rows ? row : source.rows - 1;
    const Rgb pixel = along_row(source.pixels + from * source.pitch, across, source.columns);
    const float to_upper = tap_weight(upper, row);
    const float to_lower = tap_weight(lower, row);
    for (int c = 0; c < 3; ++c) {
      pair.upper.values[c] += to_upper * pixel.values[c];
      pair.lower.values[c] += to_lower * pixel.values[c];
    }
  }
  const float upper_unit = 1.0F / total_weight(upper);
  const float lower_unit = 1.0F / total_weight(lower);
  for (int c = 0; c < 3; ++c) {
    pair.upper.values[c] = rounded_to_byte(pair.upper.values[c] * upper_unit);
    pair.lower.values[c] = rounded_to_byte(pair.lower.values[c] * lower_unit);
  }
  return pair;
}

}  // namespace traceml
