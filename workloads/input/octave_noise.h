#pragma once

#include <vector>

#include "workloads/input/image.h"
#include "workloads/input/random.h"

namespace traceml {

struct OctaveRange {
  int coarsest;  // pixels, a power of two
  int finest;    // pixels, a power of two, not above coarsest
};

// Noise with an amplitude spectrum of 1/f: octaves of smooth noise of equal variance, with cells of
// `range` and every power of two between. Mean 0, variance of an octave about 1. `field` gets width
// * height values; `scratch` is room to work in.
void octave_noise(ImageSize size, OctaveRange range, Random& random, std::vector<float>& field,
                  std::vector<float>& scratch);

}  // namespace traceml
