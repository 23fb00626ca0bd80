#include "workloads/input/file_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "workloads/input/image.h"

namespace traceml {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;

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

std::span<const std::uint8_t> FileReader::read(const std::string& relative) {
  path_.assign(folder_).append("/").append(relative);
  const OpenFile file(path_);
  struct stat facts {};
  if (file.descriptor() < 0 || fstat(file.descriptor(), &facts) != 0) cannot_read(relative);
  if (!S_ISREG(facts.st_mode)) throw ImageError("is not a regular file");
  if (facts.st_size > kMostBytes) throw ImageError("is larger than 256 MiB");
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (buffer_.size() < size) buffer_.resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got =
        pread(file.descriptor(), buffer_.data() + done, size - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(relative);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return {buffer_.data(), done};
}

}  // namespace traceml
