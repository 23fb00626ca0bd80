#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/plan/config.h"

namespace traceml {

// Where a file's bytes go, if not into the reader's own buffer: page-locked memory, say.
class FileRoom {
 public:
  virtual ~FileRoom() = default;
  // Room for `bytes` bytes, valid as long as its owner says.
  virtual std::uint8_t* room_for(std::size_t bytes) = 0;
};

// Reads whole files below one folder into a buffer that it keeps. One thread at a time.
class FileReader {
 public:
  // Cache::kCold: each file is dropped from the page cache before it is read, so that it comes from
  // storage every time; it lies in the cache afterwards, for readers that want it warm.
  explicit FileReader(const std::filesystem::path& folder, Cache cache = Cache::kWarm);

  // Valid until the next call. Throws RunError naming `relative` where the file cannot be opened or
  // read, ImageError where it is no regular file or larger than 256 MiB.
  std::span<const std::uint8_t> read(const std::string& relative);

  // The same into other memory, asked for once the size is known.
  std::span<const std::uint8_t> read(const std::string& relative, FileRoom& room);

  // Whether the first bytes of a file are still in the page cache after they were dropped from it;
  // nullopt where the file system does not say. Throws RunError as read() does.
  std::optional<bool> stays_in_cache(const std::string& relative);

 private:
  const std::string& path_of(const std::string& relative);

  std::string folder_;
  Cache cache_;
  std::string path_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace traceml
