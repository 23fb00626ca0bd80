#include "workloads/input/photo_synthesis.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "workloads/input/octave_noise.h"

namespace traceml {

namespace {

constexpr double kReferenceSide = 512.0;  // pixels; sizes of shapes scale with the image
constexpr double kLeastRadius = 1.5;      // pixels
constexpr double kLargestRadius = 0.35;   // of the long side
constexpr int kFinestLight = 16;          // pixels: cells of the background
constexpr int kCoarsestTexture = 64;      // pixels
// Grey levels an octave; of the textures at detail 1 and roughness 1.
constexpr float kLumaLight = 16.0F;
constexpr float kChromaLight = 5.0F;
constexpr float kLumaTexture = 4.0F;
constexpr float kChromaTexture = 1.2F;
constexpr double kNoise = 0.8;  // of the sensor, grey levels

int half(int pixels) {
  return (pixels + 1) / 2;
}

std::uint8_t to_byte(float value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
}

int power_of_two_below(int value) {
  int power = 1;
  while (power * 2 <= value) power *= 2;
  return power;
}

double draw_normal(Random& random) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += random.uniform(-0.5, 0.5);
  return sum;
}

}  // namespace

struct PhotoSynthesis::Leaf {
  double x, y;            // centre, pixels
  double along, across;   // half axes, pixels
  double cosine, sine;    // of the angle
  double softness;        // width of the edge, pixels
  bool boxed;             // a box, else an ellipse
  float luma, blue, red;  // grey levels
  float shading;          // grey levels over the half axis
  float roughness;
};

// How crowded a scene is. Radii lie between r0 and r1, in number as r^-3: equal area in each
// octave.
struct PhotoSynthesis::Crowd {
  double smallest;  // r0, pixels
  double largest;   // r1, pixels
  int leaves;

  Crowd(ImageSize size, Random& random) {
    const double side = std::max(size.width, size.height);
    smallest = std::max(kLeastRadius, std::exp(random.uniform(1.4, 2.6)) * side / kReferenceSide);
    largest = std::max(2 * smallest, kLargestRadius * side);
    const double mean_area =
        2 * std::numbers::pi * smallest * smallest * std::log(largest / smallest);
    const double coverage = std::exp(random.uniform(-0.7, 0.9));
    leaves = static_cast<int>(coverage * size.width * size.height / mean_area) + 2;
  }
};

PhotoSynthesis::Leaf PhotoSynthesis::draw_leaf(const Crowd& crowd, Random& random) const {
  const double u = random.uniform(0.0, 1.0);
  const double inverse_square =
      (1 - u) / (crowd.smallest * crowd.smallest) + u / (crowd.largest * crowd.largest);
  const double radius = 1 / std::sqrt(inverse_square);
  const double stretch = std::exp(random.uniform(0.0, 1.2));
  const double angle = random.uniform(0.0, std::numbers::pi);
  Leaf leaf{};
  leaf.x = random.uniform(0.0, size_.width);
  leaf.y = random.uniform(0.0, size_.height);
  leaf.along = radius * std::sqrt(stretch);
  leaf.across = radius / std::sqrt(stretch);
  leaf.cosine = std::cos(angle);
  leaf.sine = std::sin(angle);
  leaf.softness = random.uniform(0.0, 1.0) < 0.5 ? 1.5 : random.uniform(1.5, 10.0);
  leaf.boxed = random.uniform(0.0, 1.0) < 0.3;
  leaf.luma = static_cast<float>(std::clamp(120 + 40 * draw_normal(random), 8.0, 247.0));
  leaf.blue = static_cast<float>(128 + 11 * draw_normal(random) - 6);
  leaf.red = static_cast<float>(128 + 11 * draw_normal(random) + 8);
  leaf.shading = static_cast<float>(12 * draw_normal(random));
  leaf.roughness = static_cast<float>(std::exp(0.9 * draw_normal(random)));
  return leaf;
}

void PhotoSynthesis::paint(const Leaf& leaf) {
  const double reach_x = std::hypot(leaf.along * leaf.cosine, leaf.across * leaf.sine) *
                             (leaf.boxed ? std::numbers::sqrt2 : 1.0) +
                         leaf.softness;
  const double reach_y = std::hypot(leaf.along * leaf.sine, leaf.across * leaf.cosine) *
                             (leaf.boxed ? std::numbers::sqrt2 : 1.0) +
                         leaf.softness;
  const int left = std::max(0, static_cast<int>(leaf.x - reach_x));
  const int right = std::min(size_.width - 1, static_cast<int>(leaf.x + reach_x));
  const int top = std::max(0, static_cast<int>(leaf.y - reach_y));
  const int bottom = std::min(size_.height - 1, static_cast<int>(leaf.y + reach_y));
  const auto steepness = static_cast<float>(leaf.across / leaf.softness);
  const auto du = static_cast<float>(leaf.cosine / leaf.along);
  const auto dv = static_cast<float>(-leaf.sine / leaf.across);
  for (int y = top; y <= bottom; ++y) {
    const double dy = y - leaf.y;
    const double dx = left - leaf.x;
    auto u = static_cast<float>((dx * leaf.cosine + dy * leaf.sine) / leaf.along);
    auto v = static_cast<float>((dy * leaf.cosine - dx * leaf.sine) / leaf.across);
    const std::size_t row = static_cast<std::size_t>(y) * size_.width;
    const std::size_t half_row = static_cast<std::size_t>(y / 2) * half(size_.width);
    for (int x = left; x <= right; ++x, u += du, v += dv) {
      const float distance =
          leaf.boxed ? std::max(std::abs(u), std::abs(v)) : std::sqrt(u * u + v * v);
      const float cover = std::clamp((1.0F - distance) * steepness + 0.5F, 0.0F, 1.0F);
      if (cover == 0.0F) continue;
      luma_[row + x] += cover * (leaf.luma + leaf.shading * u - luma_[row + x]);
      roughness_[row + x] += cover * (leaf.roughness - roughness_[row + x]);
      if (((x | y) & 1) != 0) continue;
      blue_[half_row + x / 2] += cover * (leaf.blue - blue_[half_row + x / 2]);
      red_[half_row + x / 2] += cover * (leaf.red - red_[half_row + x / 2]);
    }
  }
}

void PhotoSynthesis::light(ImageSize size, float mean, float amplitude, Random& random,
                           std::vector<float>& field) {
  const int coarsest = power_of_two_below(std::max(size.width, size.height) / 2);
  octave_noise(size, {coarsest, std::min(coarsest, kFinestLight)}, random, field, scratch_);
  for (float& value : field) value = mean + amplitude * value;
}

void PhotoSynthesis::compose(ImageSize size, Random& random) {
  size_ = size;
  const ImageSize halved{half(size.width), half(size.height)};
  light(size, static_cast<float>(random.uniform(80, 160)), kLumaLight, random, luma_);
  light(halved, static_cast<float>(random.uniform(112, 130)), kChromaLight, random, blue_);
  light(halved, static_cast<float>(random.uniform(126, 148)), kChromaLight, random, red_);
  roughness_.assign(luma_.size(), 1.0F);
  const Crowd crowd(size, random);
  for (int i = 0; i < crowd.leaves; ++i) paint(draw_leaf(crowd, random));
  octave_noise(size, {kCoarsestTexture, 1}, random, texture_, scratch_);
  octave_noise(halved, {kCoarsestTexture / 2, 1}, random, blue_texture_, scratch_);
  octave_noise(halved, {kCoarsestTexture / 2, 1}, random, red_texture_, scratch_);
  for (float& value : luma_) value += static_cast<float>(random.uniform(-1.0, 1.0) * kNoise);
}

std::span<const std::uint8_t> PhotoSynthesis::render(double detail) {
  pixels_.resize(luma_.size() * 3);
  for (int y = 0; y < size_.height; ++y) finish_row(y, static_cast<float>(detail));
  return pixels_;
}

void PhotoSynthesis::finish_row(int y, float detail) {
  const std::size_t row = static_cast<std::size_t>(y) * size_.width;
  const std::size_t half_row = static_cast<std::size_t>(y / 2) * half(size_.width);
  std::uint8_t* out = &pixels_[row * 3];
  for (int x = 0; x < size_.width; ++x, out += 3) {
    const std::size_t i = row + x;
    const std::size_t h = half_row + x / 2;
    const float amplitude = detail * roughness_[i];
    out[0] = to_byte(luma_[i] + amplitude * kLumaTexture * texture_[i]);
    out[1] = to_byte(blue_[h] + amplitude * kChromaTexture * blue_texture_[h]);
    out[2] = to_byte(red_[h] + amplitude * kChromaTexture * red_texture_[h]);
  }
}

}  // namespace traceml
