#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace traceml {

// Plain pointers, for kernels that are compiled for another instruction set.
struct AxisTable {
  const std::int32_t* first = nullptr;    // [padded outputs] first input
  const std::int32_t* count = nullptr;    // [padded outputs] inputs from there
  const std::int16_t* weights = nullptr;  // [padded outputs][taps], zero behind count
  int inputs = 0;
  int outputs = 0;    // without the padding to a multiple of 4, which has no weight
  int taps = 0;       // a multiple of 4
  int precision = 0;  // bits: sum of weights = 1 << precision
};

// The weights of antialiased bilinear interpolation along one axis (triangle filter, half-pixel
// centres, support of one output pixel, at least one input pixel), rounded to int16 with as many
// bits as the largest one allows: the rule of Pillow's and ATen's 8-bit resampling
// (aten/src/ATen/native/cpu/UpSampleKernel.cpp, compute_index_ranges_int16_weights).
class AxisWeights {
 public:
  // `mirrored` turns the order of the outputs round: a flip that costs nothing.
  void compute(int inputs, int outputs, bool mirrored);

  // The outputs lie on the inputs from `begin_of_span` over `length`, which need not be whole.
  void compute(int inputs, double begin_of_span, double length, int outputs, bool mirrored);

  AxisTable table() const;

 private:
  void quantise(double largest);

  std::vector<std::int32_t> first_;
  std::vector<std::int32_t> count_;
  std::vector<double> exact_;
  std::vector<std::int16_t> weights_;
  int inputs_ = 0;
  int outputs_ = 0;
  int taps_ = 0;
  int precision_ = 0;
};

}  // namespace traceml
