#pragma once

#include <string>
#include <vector>

#include "harness/plan/config.h"

namespace traceml {

// Reads YAML (or JSON). `overrides` are "--set" texts: "input.workers=8". Every fault is a
// UsageError with file:line:column (or "--set input.wrokers") and, for an unknown key, the nearest
// known one.
Config read_config_file(const std::string& path, const std::vector<std::string>& overrides);
Config read_config_text(const std::string& text, const std::string& name,
                        const std::vector<std::string>& overrides);

// The canonical form: every key, in a fixed order; read_config_text gives the same Config back.
std::string write_config(const Config& config);

}  // namespace traceml
