#include "harness/codec/byte_stream.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "harness/codec/atomic_file.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr std::string_view kGzipMagic = "\x1f\x8b";

class FileStream : public ByteStream {
 public:
  explicit FileStream(const std::string& path)
      : file_(path, O_RDONLY | O_CLOEXEC), buffer_(kPieceBytes) {}

  std::string_view next() override {
    ssize_t count = 0;
    do {
      count = ::read(file_.value(), buffer_.data(), buffer_.size());
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
      throw RunError(fmt::format("cannot read {}: {}", file_.path(), std::strerror(errno)));
    }
    return {buffer_.data(), static_cast<std::size_t>(count)};
  }

 private:
  FileDescriptor file_;
  std::vector<char> buffer_;
};

class MemoryStream : public ByteStream {
 public:
  explicit MemoryStream(std::string_view bytes) : bytes_(bytes) {}

  std::string_view next() override { return std::exchange(bytes_, {}); }

 private:
  std::string_view bytes_;
};

// A piece that was looked at, then the rest.
class StreamWithHead : public ByteStream {
 public:
  StreamWithHead(std::string head, std::unique_ptr<ByteStream> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  std::string_view next() override {
    if (std::exchange(at_head_, false)) return head_;
    return rest_->next();
  }

 private:
  std::string head_;
  bool at_head_ = true;
  std::unique_ptr<ByteStream> rest_;
};

// Gzip members, one after the other, as RFC 1952 allows, and zeros behind them, with which some
// devices and archives fill their blocks.
class GzipStream : public ByteStream {
 public:
  GzipStream(std::unique_ptr<ByteStream> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)), buffer_(kPieceBytes) {
    constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
    if (::inflateInit2(&state_, kGzipWindow) != Z_OK) {
      throw RunError(fmt::format("cannot unpack {}: out of memory", name_));
    }
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { ::inflateEnd(&state_); }

  std::string_view next() override {
    state_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    state_.avail_out = static_cast<uInt>(buffer_.size());
    while (state_.avail_out == buffer_.size()) {
      if (state_.avail_in == 0 && !take_packed()) {
        if (inside_member_) fail("ends in the middle of its packed bytes; was it copied whole?");
        break;
      }
      if (!inside_member_) skip_zeros();
      if (state_.avail_in > 0) unpack();
    }
    return {buffer_.data(), buffer_.size() - state_.avail_out};
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw RunError(fmt::format("{}: {}", name_, what));
  }

  bool take_packed() {
    piece_ = packed_->next();
    // zlib's interface lacks const; it does not write there.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece_.data()));
    state_.avail_in = static_cast<uInt>(piece_.size());
    return !piece_.empty();
  }

  void skip_zeros() {
    while (state_.avail_in > 0 && *state_.next_in == 0) {
      ++state_.next_in;
      --state_.avail_in;
    }
  }

  void unpack() {
    inside_member_ = true;
    const int code = ::inflate(&state_, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      inside_member_ = false;
      ::inflateReset(&state_);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      fail("its packed bytes are damaged; copy it again");
    }
  }

  std::unique_ptr<ByteStream> packed_;
  std::string name_;
  std::vector<char> buffer_;
  std::string_view piece_;
  z_stream state_{};
  bool inside_member_ = true;
};

std::unique_ptr<ByteStream> unpacked(std::unique_ptr<ByteStream> raw, const std::string& name) {
  std::string head;
  while (head.size() < kGzipMagic.size()) {
    const std::string_view piece = raw->next();
    if (piece.empty()) break;
    head.append(piece);
  }
  const bool packed = head.starts_with(kGzipMagic);
  auto whole = std::make_unique<StreamWithHead>(std::move(head), std::move(raw));
  if (!packed) return whole;
  return std::make_unique<GzipStream>(std::move(whole), name);
}

}  // namespace

std::unique_ptr<ByteStream> open_byte_stream(const std::string& path) {
  return unpacked(std::make_unique<FileStream>(path), path);
}

std::unique_ptr<ByteStream> byte_stream_of(std::string_view bytes, const std::string& name) {
  return unpacked(std::make_unique<MemoryStream>(bytes), name);
}

}  // namespace traceml
