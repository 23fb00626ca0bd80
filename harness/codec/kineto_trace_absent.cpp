// Built where RapidJSON or zlib was not asked for.

#include "harness/codec/kineto_trace.h"
#include "harness/core/error.h"

namespace traceml {

TimelineEvents read_kineto_trace(const std::string& /*path*/) {
  throw NotBuilt("the reader of torch.profiler's traces", "TRACEML_WITH_KINETO");
}

TimelineEvents read_kineto_bytes(std::string_view /*bytes*/, const std::string& /*name*/) {
  throw NotBuilt("the reader of torch.profiler's traces", "TRACEML_WITH_KINETO");
}

}  // namespace traceml
