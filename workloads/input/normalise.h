#pragma once

#include <cstdint>
#include <span>

namespace traceml {

// (x / 255 - mean) / std with ImageNet's mean and standard deviation of the three channels, in
// float32, as torchvision's ToTensor and Normalize give it. `bytes`: interleaved RGB.
void normalise(std::span<const std::uint8_t> bytes, float* values);

}  // namespace traceml
