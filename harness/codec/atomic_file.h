#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace traceml {

// Writes `content` under a temporary name beside `path`, fsyncs, renames: readers see the old file,
// or the whole new one. Throws RunError with the file and the system's reason.
void write_file_atomically(const std::string& path, std::string_view content);

// The same of a file that must not be there yet: false, and nothing is changed, where it is. Of
// several processes, on several machines, that write one `path` at once one succeeds.
bool write_new_file_atomically(const std::string& path, std::string_view content);

// Removes what write_file_atomically() left in `dir` when its process was killed. No process may be
// writing there. Throws nothing.
void remove_temporaries(const std::string& dir) noexcept;

// Whether a file of this name is one that is being written, or was when its process was killed.
bool is_temporary(const std::string& name);

// Throws RunError with the file and the system's reason.
std::string read_whole_file(const std::string& path);

// The same in parts, for what is too large for memory.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);  // throws RunError, as the two below
  ~AtomicFile();                                 // without commit() nothing is left
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void append(std::string_view bytes);
  void commit();  // flushes and renames; the last call

 private:
  struct Open;
  std::unique_ptr<Open> open_;
};

// Owns a file descriptor.
class FileDescriptor {
 public:
  // flags and mode as for open(2). Throws RunError.
  FileDescriptor(const std::string& path, int flags);
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept;
  FileDescriptor& operator=(FileDescriptor&&) = delete;

  // Writes all of `bytes`. Throws RunError (disk full, ...).
  void write(std::string_view bytes);
  // The same, and blocks until they are on the disk.
  void write_and_sync(std::string_view bytes);

  int value() const { return value_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int value_ = -1;
};

}  // namespace traceml
