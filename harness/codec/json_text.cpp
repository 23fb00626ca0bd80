#include "harness/codec/json_text.h"

#include <cmath>

namespace traceml {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json json_number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return *value;
}

Json json_number(std::optional<Millis> value) {
  return json_number(value ? std::optional(value->count()) : std::nullopt);
}

}  // namespace traceml
