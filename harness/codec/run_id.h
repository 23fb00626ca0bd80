#pragma once
// Names one run inside its files, so that a file of another run is told apart.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace traceml {

struct RunId {
  std::uint64_t value = 0;
  friend auto operator<=>(const RunId&, const RunId&) = default;
};

// 16 hexadecimal digits: "0a1b2c3d4e5f6071".
std::string text_of(RunId run);

// nullopt where `text` is no text_of() of any id.
std::optional<RunId> run_id_in(std::string_view text);

// The same text gives the same id: for runs that repeat byte for byte.
RunId run_id_derived_from(std::string_view text);

}  // namespace traceml
