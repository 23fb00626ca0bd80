#include "harness/codec/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "harness/core/error.h"

namespace traceml {
namespace {

[[noreturn]] void throw_system_error(const std::string& path, const std::string& what) {
  const int code = errno;
  throw RunError("cannot " + what + " " + path + ": " + std::generic_category().message(code));
}

// Makes a rename last a power cut. Some file systems refuse to sync folders; that is no error.
void sync_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int value = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (value < 0) return;
  ::fsync(value);
  ::close(value);
}

// Machines that share a folder may have equal process ids.
std::string temporary_beside(const std::string& path) {
  std::random_device random;
  return path + ".tmp" + std::to_string(random()) + std::to_string(random());
}

}  // namespace

FileDescriptor::FileDescriptor(const std::string& path, int flags)
    : path_(path), value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
  if (value_ < 0) throw_system_error(path, (flags & O_CREAT) ? "create" : "open");
}

FileDescriptor::~FileDescriptor() {
  if (value_ >= 0) ::close(value_);
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : path_(std::move(other.path_)), value_(std::exchange(other.value_, -1)) {}

void FileDescriptor::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(value_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system_error(path_, "write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void FileDescriptor::write_and_sync(std::string_view bytes) {
  write(bytes);
  // Pipes and some network file systems cannot sync: what could be done is done.
  if (::fdatasync(value_) != 0 && errno != EINVAL && errno != EROFS) {
    throw_system_error(path_, "write");
  }
}

struct AtomicFile::Open {
  explicit Open(const std::string& final_path)
      : path(final_path),
        temporary(temporary_beside(path)),
        file(temporary, O_WRONLY | O_CREAT | O_EXCL) {}

  std::string path, temporary;
  FileDescriptor file;
};

AtomicFile::AtomicFile(const std::string& path) : open_(std::make_unique<Open>(path)) {}

AtomicFile::~AtomicFile() {
  if (open_) std::remove(open_->temporary.c_str());
}

void AtomicFile::append(std::string_view bytes) {
  open_->file.write(bytes);
}

void AtomicFile::commit() {
  open_->file.write_and_sync({});
  const std::string& path = open_->path;
  if (std::rename(open_->temporary.c_str(), path.c_str()) != 0) throw_system_error(path, "create");
  sync_folder_of(path);
  open_.reset();
}

void write_file_atomically(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.append(content);
  file.commit();
}

bool write_new_file_atomically(const std::string& path, std::string_view content) {
  const std::string temporary = temporary_beside(path);
  bool made = true;
  try {
    FileDescriptor file(temporary, O_WRONLY | O_CREAT | O_EXCL);
    file.write_and_sync(content);
    if (::link(temporary.c_str(), path.c_str()) != 0) {
      if (errno != EEXIST) throw_system_error(path, "create");
      made = false;
    }
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
  std::remove(temporary.c_str());
  sync_folder_of(path);
  return made;
}

bool is_temporary(const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  return extension.starts_with(".tmp") && extension.size() > 4 &&
         std::all_of(extension.begin() + 4, extension.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

void remove_temporaries(const std::string& dir) noexcept {
  try {
    for (const auto& entry : std::filesystem::directory_iterator(dir)) {
      if (is_temporary(entry.path().filename().string())) std::filesystem::remove(entry.path());
    }
  } catch (const std::exception&) {  // they stay then
  }
}

std::string read_whole_file(const std::string& path) {
  const FileDescriptor file(path, O_RDONLY);
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) throw_system_error(path, "read");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t have = 0;
  for (;;) {
    if (have == text.size()) text.resize(text.size() + 4096);
    const ssize_t got = ::read(file.value(), text.data() + have, text.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_system_error(path, "read");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

}  // namespace traceml
