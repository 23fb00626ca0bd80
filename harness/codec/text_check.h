#pragma once

#include <string>

namespace traceml {

// Throws UsageError, opening with `name` and line:column, for bytes that no config may hold: not
// UTF-8, control characters, a byte order mark, tabs in the indentation, more than 1 MiB.
void check_config_bytes(const std::string& text, const std::string& name);

}  // namespace traceml
