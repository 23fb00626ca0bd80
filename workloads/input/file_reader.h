#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace traceml {

// Reads whole files below one folder into a buffer that it keeps. One thread at a time.
class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& folder) : folder_(folder.string()) {}

  // Valid until the next call. Throws RunError naming `relative` where the file cannot be opened or
  // read, ImageError where it is no regular file or larger than 256 MiB.
  std::span<const std::uint8_t> read(const std::string& relative);

 private:
  std::string folder_;
  std::string path_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace traceml
