#pragma once
// The key `sweep` of a config.

#include <string>

#include "harness/codec/config_overrides.h"
#include "harness/codec/yaml_tree.h"
#include "harness/plan/config.h"

namespace traceml {

// Reads the map into config->sweep, every setting an arm of its own. `config` has its arms. Throws
// UsageError with the place in `file`.
void read_sweep(const std::string& file, const YamlNode& sweep, Config* config);

// "--set sweep.margin=2%", the one key of a sweep that is no part of the file alone. After
// read_sweep(). Throws UsageError, opening with its place.
void override_sweep(const Override& one, Config* config);

}  // namespace traceml
