#pragma once
// Random numbers that are the same on every machine and depend on their key alone (splitmix64;
// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).

#include <cstdint>

namespace traceml {

// A bijection of 64 bits in which every input bit reaches every output bit.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15ULL;

// One key out of two.
constexpr std::uint64_t join_keys(std::uint64_t a, std::uint64_t b) {
  return mix_bits(mix_bits(a + kGoldenGamma) ^ (b * kGoldenGamma + 0x632be59bd9b4e019ULL));
}

class Random {
 public:
  explicit constexpr Random(std::uint64_t key) : state_(mix_bits(key + kGoldenGamma)) {}

  constexpr std::uint64_t bits() { return mix_bits(state_ += kGoldenGamma); }

  // Uniform in [low, high).
  constexpr double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }

  // Uniform in [0, count), 0 < count < 2^31.
  constexpr int below(int count) {
    return static_cast<int>(((bits() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
  }

  constexpr bool coin() { return (bits() >> 63) != 0; }

 private:
  std::uint64_t state_;
};

// The augmentation of one sample in one epoch.
constexpr Random sample_random(std::uint64_t seed, std::int64_t epoch, std::int64_t sample) {
  return Random(join_keys(join_keys(seed, static_cast<std::uint64_t>(epoch)),
                          static_cast<std::uint64_t>(sample)));
}

}  // namespace traceml
