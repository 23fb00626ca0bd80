#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/core/timeline_events.h"

namespace traceml {

// Reads a Chrome trace of torch.profiler (Kineto), gzipped or not, in one pass; memory grows with
// the events, not with the text. Of the header only rank, world size, clock base and device names
// are kept: no host or user name. Throws RunError with the file and place.
TimelineEvents read_kineto_trace(const std::string& path);

// The same of bytes in memory; `name` is for sentences.
TimelineEvents read_kineto_bytes(std::string_view bytes, const std::string& name);

// "rank_3" or "rank-3" or "rank3" anywhere in the last part of a path.
std::optional<int> rank_in_file_name(std::string_view path);

}  // namespace traceml
