#include "harness/core/error.h"
#include "workloads/torch/operator_recorder.h"

namespace traceml {

std::unique_ptr<OperatorTrace> make_operator_recorder() {
  throw NotBuilt("recording the operators of libtorch", "TRACEML_WITH_TORCH");
}

}  // namespace traceml
