#include "workloads/input/photo_file.h"

#include <algorithm>
#include <cmath>

namespace traceml {

namespace {

constexpr int kQuality = 90;
// Photographs at quality 90, 4:2:0: 1.72 bits per pixel at 512 pixels, falling with the root of the
// side (measured from 96 to 2,048 pixels; DECISIONS.md).
constexpr double kBitsPerPixel = 1.72;
constexpr double kMeasuredSide = 512.0;
constexpr double kSigma = 0.38;  // of the logarithm of bits per pixel
constexpr int kMostEncodings = 5;
constexpr double kTolerance = 0.03;
constexpr double kLeastDetail = 0.02;
constexpr double kMostDetail = 12.0;

// Short side over long side, and whether the image stands upright.
struct Shape {
  double share;
  double ratio;
  bool upright;
};
constexpr Shape kShapes[] = {{0.60, 1.0, false},           {0.14, 3.0 / 4.0, false},
                             {0.06, 3.0 / 4.0, true},      {0.07, 2.0 / 3.0, false},
                             {0.05, 306.0 / 512.0, false}, {0.02, 2.0 / 3.0, true}};

ImageSize draw_size(int long_side, Random& random) {
  double ratio = random.uniform(0.5, 1.0);
  bool upright = random.coin();
  double left = random.uniform(0.0, 1.0);
  for (const Shape& shape : kShapes) {
    left -= shape.share;
    if (left >= 0) continue;
    ratio = shape.ratio;
    upright = shape.upright;
    break;
  }
  const int short_side = std::max(1, static_cast<int>(std::lround(ratio * long_side)));
  return upright ? ImageSize{short_side, long_side} : ImageSize{long_side, short_side};
}

double draw_normal(Random& random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += random.uniform(-0.5, 0.5);
  return sum;
}

double draw_bytes(ImageSize size, Random& random) {
  const int side = std::max(size.width, size.height);
  const double mean = kBitsPerPixel * std::sqrt(kMeasuredSide / side);
  const double bits = mean * std::exp(kSigma * draw_normal(random) - kSigma * kSigma / 2);
  return bits * size.width * size.height / 8;
}

}  // namespace

std::span<const std::uint8_t> PhotoFile::make(int long_side, std::uint64_t key) {
  Random random(key);
  size_ = draw_size(long_side, random);
  const double wanted = std::log(draw_bytes(size_, random));
  scene_.compose(size_, random);

  // The logarithm of the size is nearly linear in that of the detail: secant steps.
  double detail = 0.0;
  double slope = 0.5;
  double last_detail = 0.0;
  double last_bytes = 0.0;
  std::span<const std::uint8_t> file;
  for (int i = 0; i < kMostEncodings; ++i) {
    file = encoder_.encode(scene_.render(std::exp(detail)), size_, PixelForm::kYcc, kQuality);
    const double bytes = std::log(static_cast<double>(file.size()));
    if (std::abs(bytes - wanted) < kTolerance) break;
    if (i > 0 && detail != last_detail) {
      slope = std::clamp((bytes - last_bytes) / (detail - last_detail), 0.1, 2.0);
    }
    last_detail = detail;
    last_bytes = bytes;
    detail = std::clamp(detail + (wanted - bytes) / slope, std::log(kLeastDetail),
                        std::log(kMostDetail));
    if (detail == last_detail) break;
  }
  return file;
}

}  // namespace traceml
