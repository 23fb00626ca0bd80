#pragma once

#include <string>

namespace traceml::testing {

// Compares with tests/reports/golden/NAME and fails the test where it differs; with
// UPDATE_GOLDEN=1 in the environment it writes the file instead.
void expect_golden(const std::string& name, const std::string& content);

}  // namespace traceml::testing
