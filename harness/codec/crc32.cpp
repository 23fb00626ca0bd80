#include "harness/codec/crc32.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace traceml {
namespace {

static_assert(std::endian::native == std::endian::little, "the eight-byte step reads words");

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b] is the checksum of byte b followed by k zero bytes.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) ? 0xEDB88320U : 0U);
    tables[0][byte] = value;
  }
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t k = 1; k < tables.size(); ++k) {
      const std::uint32_t previous = tables[k - 1][byte];
      tables[k][byte] = (previous >> 8) ^ tables[0][previous & 0xFFU];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t value = ~before;
  while (bytes.size() >= 8) {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    std::memcpy(&low, bytes.data(), 4);
    std::memcpy(&high, bytes.data() + 4, 4);
    low ^= value;
    value = kTables[7][low & 0xFFU] ^ kTables[6][(low >> 8) & 0xFFU] ^
            kTables[5][(low >> 16) & 0xFFU] ^ kTables[4][low >> 24] ^ kTables[3][high & 0xFFU] ^
            kTables[2][(high >> 8) & 0xFFU] ^ kTables[1][(high >> 16) & 0xFFU] ^
            kTables[0][high >> 24];
    bytes.remove_prefix(8);
  }
  for (const char byte : bytes) {
    value = (value >> 8) ^ kTables[0][(value ^ static_cast<unsigned char>(byte)) & 0xFFU];
  }
  return ~value;
}

}  // namespace traceml
