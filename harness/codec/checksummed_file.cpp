#include "harness/codec/checksummed_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "harness/codec/crc32.h"

namespace traceml {

std::string checksum_line(std::uint32_t crc, std::int64_t rows) {
  return fmt::format("#crc32 {:08x} rows={}\n", crc, rows);
}

ChecksummedFile::ChecksummedFile(const std::string& path, std::string_view opening)
    : file_(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND) {
  write(opening);
}

void ChecksummedFile::append(std::string rows, std::int64_t count) {
  rows += checksum_line(crc32(rows, crc_), count);
  write(rows);
}

void ChecksummedFile::write(std::string_view bytes) {
  file_.write_and_sync(bytes);
  crc_ = crc32(bytes, crc_);
}

}  // namespace traceml
