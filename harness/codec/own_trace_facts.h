#pragma once
// The header of a trace that this harness wrote: one flat object beside Kineto's. For sources of
// this room.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/timeline_events.h"

namespace traceml {

inline constexpr std::string_view kOwnTraceKey = "traceml_bench";

// Unknown keys are passed over: a later version may write more.
void set_own_text(std::string_view key, std::string_view text, OwnTraceFacts* facts);
void set_own_number(std::string_view key, std::int64_t number, OwnTraceFacts* facts);

// In the order in which they are written; what is null is left out.
std::vector<std::pair<std::string, std::string>> own_texts(const OwnTraceFacts& facts);
std::vector<std::pair<std::string, std::int64_t>> own_numbers(const OwnTraceFacts& facts);

}  // namespace traceml
