#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace traceml {

// Whether `thing` is in TRACEML_REQUIRE, a list with commas.
inline bool is_required(std::string_view thing) {
  const char* variable = std::getenv("TRACEML_REQUIRE");
  std::string_view list = variable == nullptr ? "" : variable;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (list.substr(0, end) == thing) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Last statement of a SetUp(): skips the test for want of `thing`, or fails it where
// TRACEML_REQUIRE says that this machine has one. An empty `why_not` lets it run.
inline void skip_or_fail(const std::string& thing, const std::string& why_not) {
  if (why_not.empty()) return;
  if (is_required(thing)) {
    FAIL() << "TRACEML_REQUIRE asks for a " << thing << ", but " << why_not;
  }
  GTEST_SKIP() << why_not;
}

}  // namespace traceml
