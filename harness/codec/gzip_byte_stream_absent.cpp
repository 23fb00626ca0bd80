// Built where neither traces are read nor activities collected, so that zlib was not asked for.

#include "harness/codec/gzip_byte_stream.h"
#include "harness/core/error.h"

namespace traceml {

bool gzip_built() {
  return false;
}

struct GzipByteStream::State {};

GzipByteStream::GzipByteStream() {
  throw NotBuilt("writing of traces", "TRACEML_WITH_KINETO");
}

GzipByteStream::~GzipByteStream() = default;

void GzipByteStream::append(std::string_view /*text*/) {}

std::string GzipByteStream::finish() {
  return "";
}

}  // namespace traceml
