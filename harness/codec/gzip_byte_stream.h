#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace traceml {

bool gzip_built();

// Packs text as it comes, into one gzip member. Throws NotBuilt in a build without zlib.
class GzipByteStream {
 public:
  GzipByteStream();
  ~GzipByteStream();
  GzipByteStream(const GzipByteStream&) = delete;
  GzipByteStream& operator=(const GzipByteStream&) = delete;

  void append(std::string_view text);
  std::string finish();  // the packed bytes; the last call

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace traceml
