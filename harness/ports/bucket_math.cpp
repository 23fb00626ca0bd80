#include "harness/ports/bucket_math.h"

#include <bit>

namespace traceml {
namespace {

float load(const void* data, std::int64_t i, ElementType type) {
  if (type == ElementType::kFloat32) return static_cast<const float*>(data)[i];
  return float_of_bfloat16(static_cast<const std::uint16_t*>(data)[i]);
}

void store(void* data, std::int64_t i, ElementType type, float value) {
  if (type == ElementType::kFloat32) {
    static_cast<float*>(data)[i] = value;
  } else {
    static_cast<std::uint16_t*>(data)[i] = bfloat16_of_float(value);
  }
}

}  // namespace

float float_of_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t bfloat16_of_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (value != value) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

void average_in_place(const std::vector<void*>& parts, std::int64_t count, ElementType type) {
  const float factor = 1.0f / static_cast<float>(parts.size());
  for (std::int64_t i = 0; i < count; ++i) {
    float sum = 0;
    for (const void* part : parts) sum += load(part, i, type);
    for (void* part : parts) store(part, i, type, sum * factor);
  }
}

void add_to(void* data, const void* other, std::int64_t count, ElementType type) {
  for (std::int64_t i = 0; i < count; ++i) {
    store(data, i, type, load(data, i, type) + load(other, i, type));
  }
}

void scale(void* data, std::int64_t count, ElementType type, float factor) {
  if (type == ElementType::kFloat32) {
    float* values = static_cast<float*>(data);
    for (std::int64_t i = 0; i < count; ++i) values[i] *= factor;
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) store(data, i, type, load(data, i, type) * factor);
}

}  // namespace traceml
