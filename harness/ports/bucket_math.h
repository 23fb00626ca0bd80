#pragma once

#include <cstdint>
#include <vector>

#include "harness/ports/collective.h"

namespace traceml {

// bfloat16 is the upper half of a float; back to it by round to nearest, ties to even. NaN stays
// NaN.
float float_of_bfloat16(std::uint16_t bits);
std::uint16_t bfloat16_of_float(float value);

// Replaces `count` elements of each part by the mean over the parts, summed in float in the order
// of `parts`.
void average_in_place(const std::vector<void*>& parts, std::int64_t count, ElementType type);

// data[i] += other[i], and data[i] *= factor.
void add_to(void* data, const void* other, std::int64_t count, ElementType type);
void scale(void* data, std::int64_t count, ElementType type, float factor);

}  // namespace traceml
