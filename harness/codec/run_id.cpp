#include "harness/codec/run_id.h"

#include <fmt/format.h>

#include <charconv>

namespace traceml {

std::string text_of(RunId run) {
  return fmt::format("{:016x}", run.value);
}

std::optional<RunId> run_id_in(std::string_view text) {
  RunId run;
  std::from_chars(text.data(), text.data() + text.size(), run.value, 16);
  if (text != text_of(run)) return std::nullopt;
  return run;
}

// FNV-1a, 64 bits.
RunId run_id_derived_from(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return {hash};
}

}  // namespace traceml
