#pragma once
// What ranks must agree on before NCCL may try to connect them. No NCCL type here: it is tested
// without NCCL.

#include <functional>
#include <string>

#include "harness/ports/transport.h"

namespace traceml {

struct NcclRank {
  std::string version;  // "2.28.9"
  std::string failure;  // why this rank cannot take part; empty: it can
};

// Collective. Returns on every rank what `make_identifier` returned on rank 0. Throws RunError with
// the same sentence on every rank where one cannot take part, where versions differ, or where
// `make_identifier` threw an Error.
std::string meet_before_nccl(Transport& transport, const NcclRank& own,
                             const std::function<std::string()>& make_identifier);

}  // namespace traceml
