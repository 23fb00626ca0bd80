#include "harness/backends/cupti/cupti_backend.h"
#include "harness/core/error.h"

namespace traceml {

bool cupti_built() {
  return false;
}

std::unique_ptr<ActivityTrace> make_cupti_trace() {
  throw NotBuilt("activity tracing", "TRACEML_WITH_CUPTI");
}

}  // namespace traceml
