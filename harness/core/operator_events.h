#pragma once
// Operators of a framework as plain data: what a recorder of a few steps returns.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/timeline_events.h"

namespace traceml {

// One call of an operator on the host. Calls inside it lie inside its time, on its thread.
struct OperatorSpan {
  Nanos start{0};
  Nanos duration{0};
  std::optional<std::int64_t> sequence;  // autograd's: a forward operator's and its backward's
  std::optional<NameIndex> dims;         // of its inputs, as nested lists: "[[8,3,32,32],[]]"
  NameIndex name = 0;
  ThreadIndex thread = 0;
};

// Indices are those of its own vectors.
struct OperatorEvents {
  std::vector<std::string> names;  // each once
  std::vector<HostThread> threads;
  std::vector<OperatorSpan> spans;
  std::int64_t dropped = 0;  // for lack of room, or still open at the end
};

}  // namespace traceml
