#include "harness/codec/gzip_byte_stream.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "harness/core/error.h"

namespace traceml {
namespace {

// A trace shrinks to a tenth at the fastest level, and to two thirds of that at the slowest, which
// takes ten times as long.
constexpr int kLevel = 1;
constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for a gzip header
constexpr int kUsualMemory = 8;
constexpr std::size_t kPieceBytes = 256 * 1024;

}  // namespace

struct GzipByteStream::State {
  z_stream stream{};
  std::string packed;
  std::string piece = std::string(kPieceBytes, '\0');

  void work(std::string_view text, int flush) {
    // zlib's interface lacks const; it does not write there.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream.avail_out = static_cast<uInt>(piece.size());
      ::deflate(&stream, flush);
      packed.append(piece, 0, piece.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  }
};

bool gzip_built() {
  return true;
}

GzipByteStream::GzipByteStream() : state_(std::make_unique<State>()) {
  if (::deflateInit2(&state_->stream, kLevel, Z_DEFLATED, kGzipWindow, kUsualMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
    throw RunError("cannot pack a trace: out of memory");
  }
}

GzipByteStream::~GzipByteStream() {
  ::deflateEnd(&state_->stream);
}

void GzipByteStream::append(std::string_view text) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // zlib counts in 32 bits
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMost))) {
    state_->work(text.substr(0, kMost), Z_NO_FLUSH);
  }
}

std::string GzipByteStream::finish() {
  state_->work({}, Z_FINISH);
  return std::move(state_->packed);
}

}  // namespace traceml
