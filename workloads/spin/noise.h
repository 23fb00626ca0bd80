#pragma once
// Numbers that pass for random, chosen by a key; made of sums of integers alone, so that they are
// equal on every machine.

#include <cstdint>

namespace traceml {

std::uint64_t key_of(std::uint64_t seed, std::uint64_t a, std::uint64_t b,
                     std::uint64_t c) noexcept;

// Mean 0, variance 1: the sum of 4 * `words` uniform numbers (Irwin-Hall), scaled. `key` chooses.
double normal(std::uint64_t key, int words) noexcept;

// What a time is multiplied with: 1 + noise * z, and never near zero.
double factor(double noise, double z) noexcept;

}  // namespace traceml
