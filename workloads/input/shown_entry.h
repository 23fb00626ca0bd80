#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace traceml {

// An entry of a list as a sentence shows it: short, without control characters.
inline std::string shown_entry(std::string_view entry) {
  constexpr std::size_t kMost = 80;
  std::string text(entry.substr(0, kMost));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  return entry.size() > kMost ? text + "..." : text;
}

}  // namespace traceml
