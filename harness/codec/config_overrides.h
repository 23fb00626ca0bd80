#pragma once

#include <string>
#include <vector>

namespace traceml {

// One "--set input.workers=8".
struct Override {
  std::string path;   // "input.workers" or "arms.shipped.input.workers"
  std::string text;   // "8"
  std::string place;  // "--set input.workers", opens messages
};

// Throws UsageError for a text without '=', without a key, or with a key given twice.
std::vector<Override> parse_overrides(const std::vector<std::string>& texts);

}  // namespace traceml
