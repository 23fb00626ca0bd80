#include "workloads/input/random_resized_crop.h"

#include <cmath>

namespace traceml {

namespace {

constexpr double kMinScale = 0.08;
constexpr double kMaxScale = 1.0;
constexpr double kMinRatio = 3.0 / 4.0;
constexpr double kMaxRatio = 4.0 / 3.0;
constexpr int kTries = 10;

// Half to even, as Python rounds.
int round_half_even(double value) {
  return static_cast<int>(std::nearbyint(value));
}

Crop centre_crop(ImageSize image) {
  const double ratio = static_cast<double>(image.width) / image.height;
  Crop crop{0, 0, image.width, image.height};
  if (ratio < kMinRatio) {
    crop.height = round_half_even(image.width / kMinRatio);
  } else if (ratio > kMaxRatio) {
    crop.width = round_half_even(image.height * kMaxRatio);
  }
  crop.left = (image.width - crop.width) / 2;
  crop.top = (image.height - crop.height) / 2;
  return crop;
}

}  // namespace

Crop random_resized_crop(ImageSize image, Random& random) {
  const double area = static_cast<double>(image.width) * image.height;
  for (int i = 0; i < kTries; ++i) {
    const double target = area * random.uniform(kMinScale, kMaxScale);
    const double ratio = std::exp(random.uniform(std::log(kMinRatio), std::log(kMaxRatio)));
    const int width = round_half_even(std::sqrt(target * ratio));
    const int height = round_half_even(std::sqrt(target / ratio));
    if (width > 0 && width <= image.width && height > 0 && height <= image.height) {
      const int top = random.below(image.height - height + 1);
      const int left = random.below(image.width - width + 1);
      return {left, top, width, height};
    }
  }
  return centre_crop(image);
}

}  // namespace traceml
