#pragma once
// What the writer and the reader of raw files share (docs/files.md).

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "harness/codec/run_id.h"
#include "harness/core/ids.h"

namespace traceml {

// kDevice: only of ranks whose device has a monitor. kInput: only of runs that keep_inputs().
enum class RawFile : unsigned char { kWindows, kSteps, kCollectives, kDevice, kInput };

inline constexpr std::array<RawFile, 5> kRawFiles = {
    RawFile::kWindows, RawFile::kSteps, RawFile::kCollectives, RawFile::kDevice, RawFile::kInput};

constexpr bool may_be_absent(RawFile file) {
  return file == RawFile::kDevice || file == RawFile::kInput;
}

constexpr std::size_t index_of(RawFile file) {
  return static_cast<std::size_t>(file);
}

// "windows_rank_0003.csv".
std::string raw_file_name(RawFile file, Rank rank);

// The first line, without its line end.
const std::string& raw_header(RawFile file);

// That of runs from before the file's last column; empty: it always had all.
std::string older_raw_header(RawFile file);

// The second line, without its line end, says whose file it is: "#run 0a1b2c3d4e5f6071 rank 3
// windows".
std::string raw_identity(RunId run, Rank rank, RawFile file);
std::string raw_identity(RunId run, Rank rank, std::string_view kind);

// A field as CSV has it; one with a # is quoted too, since a leading one starts a checksum line.
std::string csv_field(std::string_view text);

// Of a device row.
inline constexpr std::string_view kBeforeWord = "before";
inline constexpr std::string_view kAfterWord = "after";

// How every identity begins.
inline constexpr std::string_view kIdentity = "#run ";

// A phase that took place and has no time on either clock: written in its host field.
inline constexpr std::string_view kUntimed = "null";

}  // namespace traceml
