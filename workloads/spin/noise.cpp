#include "workloads/spin/noise.h"

#include <algorithm>
#include <cmath>

namespace traceml {
namespace {

constexpr double kLeastFactor = 0.05;  // noise makes nothing free or negative

// A bijection whose output passes for random: the finalizer of splitmix64 (Steele, Lea and Flood
// 2014).
std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::int64_t sum_of_quarters(std::uint64_t bits) noexcept {
  std::int64_t sum = 0;
  for (int shift = 0; shift < 64; shift += 16) {
    sum += static_cast<std::int64_t>((bits >> shift) & 0xffff);
  }
  return sum;
}

}  // namespace

double normal(std::uint64_t key, int words) noexcept {
  std::int64_t sum = 0;
  for (int i = 0; i < words; ++i) {
    key = mixed(key);
    sum += sum_of_quarters(key);
  }
  const int count = 4 * words;
  const double centred = static_cast<double>(sum) / 65536 - count * 0.5 * (65535.0 / 65536);
  return centred * std::sqrt(12.0 / count);
}

std::uint64_t key_of(std::uint64_t seed, std::uint64_t a, std::uint64_t b,
                     std::uint64_t c) noexcept {
  return mixed(mixed(mixed(seed ^ mixed(a)) ^ b) ^ c);
}

double factor(double noise, double z) noexcept {
  return std::max(kLeastFactor, 1 + noise * z);
}

}  // namespace traceml
