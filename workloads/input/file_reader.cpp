#include "workloads/input/file_reader.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/input/image.h"

namespace traceml {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
// Of buffers made beforehand: larger than any of Food-101's files.
constexpr std::size_t kUsualBytes = std::size_t{512} << 10;
constexpr std::size_t kUsualPath = 1024;

class OpenFile {
 public:
  // Without waiting for somebody to write, if it is a pipe.
  explicit OpenFile(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

[[noreturn]] void cannot_read(const std::string& relative) {
  throw RunError(fmt::format("cannot read {} of the data set: {}", relative, std::strerror(errno)));
}

}  // namespace

FileReader::FileReader(const std::filesystem::path& folder, Cache cache)
    : folder_(folder.string()), cache_(cache), buffer_(kUsualBytes) {
  path_.reserve(folder_.size() + kUsualPath);
}

const std::string& FileReader::path_of(const std::string& relative) {
  if (relative.starts_with('/')) return path_.assign(relative);
  return path_.assign(folder_).append("/").append(relative);
}

std::optional<bool> FileReader::stays_in_cache(const std::string& relative) {
  read(relative);
  const OpenFile file(path_of(relative));
  struct statfs system {};
  if (file.descriptor() < 0 || fstatfs(file.descriptor(), &system) != 0) cannot_read(relative);
  if (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC) return true;
  // What was not written to storage yet cannot be dropped.
  fdatasync(file.descriptor());
  posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
  const iovec first_byte{buffer_.data(), 1};
  if (preadv2(file.descriptor(), &first_byte, 1, 0, RWF_NOWAIT) > 0) return true;
  if (errno == EAGAIN) return false;
  return std::nullopt;
}

std::span<const std::uint8_t> FileReader::read(const std::string& relative) {
  struct OwnRoom final : FileRoom {
    explicit OwnRoom(std::vector<std::uint8_t>& all) : buffer(all) {}
    std::uint8_t* room_for(std::size_t bytes) override {
      make_room(buffer, bytes);
      return buffer.data();
    }
    std::vector<std::uint8_t>& buffer;
  };
  OwnRoom own(buffer_);
  return read(relative, own);
}

std::span<const std::uint8_t> FileReader::read(const std::string& relative, FileRoom& room) {
  const OpenFile file(path_of(relative));
  struct stat facts {};
  if (file.descriptor() < 0 || fstat(file.descriptor(), &facts) != 0) cannot_read(relative);
  if (!S_ISREG(facts.st_mode)) throw ImageError("is not a regular file");
  if (facts.st_size > kMostBytes) throw ImageError("is larger than 256 MiB");
  if (cache_ == Cache::kCold) posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
  const auto size = static_cast<std::size_t>(facts.st_size);
  std::uint8_t* const bytes = room.room_for(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(file.descriptor(), bytes + done, size - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(relative);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return {bytes, done};
}

}  // namespace traceml
