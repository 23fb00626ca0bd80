#pragma once
// A CSV file that grows by groups of rows, each closed by a checksum line (docs/files.md).

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/codec/atomic_file.h"

namespace traceml {

// "#crc32 0a1b2c3d rows=12\n": crc is that of every byte of the file before this line.
std::string checksum_line(std::uint32_t crc, std::int64_t rows);

class ChecksummedFile {
 public:
  // Creates the file with these lines, which must not exist yet. Throws RunError.
  ChecksummedFile(const std::string& path, std::string_view opening);

  // `rows`: whole lines. They are on the disk, with their checksum line, when it returns. Throws
  // RunError (disk full, ...).
  void append(std::string rows, std::int64_t count);

 private:
  void write(std::string_view bytes);

  FileDescriptor file_;
  std::uint32_t crc_ = 0;
};

}  // namespace traceml
