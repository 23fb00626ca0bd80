#pragma once

#include <cstdio>
#include <string>

namespace traceml {

// One line on standard error. That it is closed or full is no error: what was measured matters
// more.
inline void print_error_line(const std::string& line) {
  std::fputs((line + "\n").c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace traceml
