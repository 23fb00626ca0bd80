#pragma once

#include <cstdint>
#include <string_view>

namespace traceml {

// CRC-32 as zlib, gzip and PNG compute it (ISO 3309: polynomial 0xEDB88320, reflected). `before` is
// the checksum of the bytes that come before `bytes`, 0 at the start.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace traceml
