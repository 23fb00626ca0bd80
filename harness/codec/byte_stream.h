#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace traceml {

// Bytes in pieces, so that a file larger than memory can be read.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // The next piece, valid until the next call; empty at the end. Throws RunError.
  virtual std::string_view next() = 0;
};

// The bytes of a file, unpacked where it is gzipped, whatever its name. Throws RunError with the
// file and the reason: it cannot be read, or its packed bytes are torn.
std::unique_ptr<ByteStream> open_byte_stream(const std::string& path);

// The same of bytes in memory, which must outlive the stream; `name` is for sentences.
std::unique_ptr<ByteStream> byte_stream_of(std::string_view bytes, const std::string& name);

}  // namespace traceml
