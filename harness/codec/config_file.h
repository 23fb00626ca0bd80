#pragma once

#include <string>
#include <vector>

#include "harness/plan/config.h"

namespace traceml {

// Reads YAML (or JSON). `overrides` are "--set" texts: "input.workers=8", and for one arm
// "arms.shipped.input.workers=8". Every fault is a UsageError with file:line:column (or "--set
// input.wrokers") and, for an unknown key, the nearest known one. A relative data set starts at the
// folder of the file, or in "--set" at the current folder.
Config read_config_file(const std::string& path, const std::vector<std::string>& overrides);

// The same for a text; `name` opens the messages. A relative data set stays relative.
Config read_config_text(const std::string& text, const std::string& name,
                        const std::vector<std::string>& overrides);

// The canonical form: every key, in a fixed order; read_config_text gives an equal Config back, but
// for places and, of an absolute data set, its path. Hidden arms are left out: make_plan() adds
// them again.
std::string write_config(const Config& config);

}  // namespace traceml
