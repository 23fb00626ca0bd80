#pragma once
// What the writer and the reader of raw files share (docs/files.md).

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/core/ids.h"

namespace traceml {

enum class RawFile : unsigned char { kWindows, kSteps, kCollectives };

inline constexpr std::array<RawFile, 3> kRawFiles = {RawFile::kWindows, RawFile::kSteps,
                                                     RawFile::kCollectives};

constexpr std::size_t index_of(RawFile file) {
  return static_cast<std::size_t>(file);
}

// "windows_rank_0003.csv".
std::string raw_file_name(RawFile file, Rank rank);

// The first line, without its line end.
const std::string& raw_header(RawFile file);

// "#crc32 0a1b2c3d rows=12\n": crc is that of every byte of the file before this line.
std::string checksum_line(std::uint32_t crc, std::int64_t rows);

// A phase that took place and has no time on either clock: written in its host field.
inline constexpr std::string_view kUntimed = "null";

}  // namespace traceml
