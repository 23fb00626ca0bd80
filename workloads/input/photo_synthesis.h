#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/input/image.h"
#include "workloads/input/random.h"

namespace traceml {

// Images with the statistics of photographs: occluding shapes of all sizes (a dead-leaves model:
// sharp and soft edges, power-law sizes), each with its own colour, shading and texture, and noise
// with an amplitude spectrum of 1/f in luma and chroma. One thread at a time; keeps its buffers.
class PhotoSynthesis {
 public:
  // A new scene. It depends on `size` and the draws of `random` alone.
  void compose(ImageSize size, Random& random);

  // The scene with its texture multiplied by `detail`, as interleaved 8-bit YCC. More detail gives
  // larger files. Valid until the next call.
  std::span<const std::uint8_t> render(double detail);

 private:
  struct Leaf;
  struct Crowd;

  void light(ImageSize size, float mean, float amplitude, Random& random,
             std::vector<float>& field);
  Leaf draw_leaf(const Crowd& crowd, Random& random) const;
  void paint(const Leaf& leaf);
  void finish_row(int y, float detail);

  ImageSize size_;
  // Full resolution.
  std::vector<float> luma_;
  std::vector<float> roughness_;
  std::vector<float> texture_;
  // Half resolution: two values for each 2 x 2 pixels, which 4:2:0 keeps apart no further.
  std::vector<float> blue_;
  std::vector<float> red_;
  std::vector<float> blue_texture_;
  std::vector<float> red_texture_;
  std::vector<float> scratch_;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace traceml
