#pragma once
// For sources of this room only: vendor headers stay out of the public ones.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/core/units.h"

namespace traceml {

// Indented, with a line end; bytes that are no UTF-8 become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

// null for what is missing or not finite: NaN never appears in our JSON.
nlohmann::ordered_json json_number(std::optional<double> value);
nlohmann::ordered_json json_number(std::optional<Millis> value);

}  // namespace traceml
