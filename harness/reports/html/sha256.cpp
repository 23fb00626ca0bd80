#include "harness/reports/html/sha256.h"

#include <bit>
#include <cstddef>

namespace traceml {
namespace {

using Word = std::uint32_t;
using State = std::array<Word, 8>;

constexpr std::array<Word, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::size_t kBlock = 64;  // bytes

// 6.2.2, for the 64 bytes at `block`.
void add_block(const char* block, State* state) {
  std::array<Word, 64> schedule{};
  for (std::size_t t = 0; t < 16; ++t) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
      schedule[t] = schedule[t] << 8 | static_cast<std::uint8_t>(block[4 * t + byte]);
    }
  }
  for (std::size_t t = 16; t < 64; ++t) {
    const Word a = schedule[t - 15], b = schedule[t - 2];
    const Word s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3);
    const Word s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10);
    schedule[t] = schedule[t - 16] + s0 + schedule[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = *state;
  for (std::size_t t = 0; t < 64; ++t) {
    const Word s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const Word t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[t] + schedule[t];
    const Word s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const Word t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const State more = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < more.size(); ++i) (*state)[i] += more[i];
}

std::string base64(const std::array<std::uint8_t, 32>& bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    Word group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? bytes[i + k] : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 0x3F] : '=';
    }
  }
  return text;
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::string_view bytes) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (; bytes.size() >= kBlock; bytes.remove_prefix(kBlock)) add_block(bytes.data(), &state);
  std::string last(bytes);
  last.push_back('\x80');
  while (last.size() % kBlock != kBlock - 8) last.push_back('\0');
  for (int shift = 56; shift >= 0; shift -= 8) last.push_back(static_cast<char>(bits >> shift));
  for (std::size_t at = 0; at < last.size(); at += kBlock) add_block(last.data() + at, &state);
  std::array<std::uint8_t, 32> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string source_hash(std::string_view script) {
  return "sha256-" + base64(sha256(script));
}

}  // namespace traceml
