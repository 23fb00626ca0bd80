#pragma once
// A raw file as lines and checksummed groups, before its fields are read.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/codec/raw_format.h"

namespace traceml {

// The rows of one append: whole lines, text[begin, end).
struct RawGroup {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t first_line = 0;  // counted from 1, as editors do
  std::int64_t rows = 0;
};

struct RawText {
  std::string name;  // for warnings: reports must not depend on where the run lies
  std::string path;
  std::string text;
  std::string header;  // its own
  std::vector<RawGroup> groups;
};

// What a file must begin with.
struct RawOpening {
  std::string header;        // its first line
  std::string identity;      // its second: raw_identity()
  std::string older_header;  // that of older runs, which lacks the last columns; empty: none does
};

// Reads DIR/NAME and checks its header, whose file it is, and every checksum. Throws RunError
// naming file and lines where one does not hold; with accept_edited the last two are warnings.
// Bytes after the last checksum line are left out with a warning.
RawText read_raw_text(const std::string& dir, const std::string& name, const RawOpening& opening,
                      bool accept_edited, std::vector<std::string>* warnings);

}  // namespace traceml
