#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace traceml {

// FIPS 180-4.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);

// "sha256-47DEQpj8...": how a Content-Security-Policy names an inline script or style.
std::string source_hash(std::string_view script);

}  // namespace traceml
