#include "harness/codec/trace_time.h"

#include <charconv>
#include <cstdint>
#include <utility>

namespace traceml {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 61;      // Unix time until 2043
constexpr std::int64_t kLeast = -(std::int64_t{1} << 50);  // 13 days before the base of the clock
constexpr int kDecimals = 3;                               // of a microsecond in a nanosecond

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The digits of a number without their point: 12.34e1 is 1234 and 2 - 1 decimals.
struct Digits {
  std::int64_t value = 0;
  int decimals = 0;
};

std::optional<int> exponent_of(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  constexpr int kAnyTime = 400;
  if (exponent < -kAnyTime || exponent > kAnyTime) return std::nullopt;
  return exponent;
}

std::optional<Digits> digits_of(std::string_view text) {
  constexpr std::int64_t kFull = 900'000'000'000'000'000;  // below it one more digit fits
  Digits digits;
  bool any = false, fraction = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !std::exchange(fraction, true)) continue;
    if (!is_digit(text[at])) break;
    any = true;
    if (digits.value >= kFull) {
      if (!fraction) return std::nullopt;
      continue;
    }
    digits.value = digits.value * 10 + (text[at] - '0');
    if (fraction) ++digits.decimals;
  }
  const auto exponent = exponent_of(text.substr(at));
  if (!any || !exponent) return std::nullopt;
  digits.decimals -= *exponent;
  return digits;
}

}  // namespace

std::optional<Nanos> trace_time(std::string_view microseconds) {
  const bool negative = microseconds.starts_with('-');
  if (negative) microseconds.remove_prefix(1);
  const auto digits = digits_of(microseconds);
  if (!digits) return std::nullopt;
  std::int64_t value = digits->value;
  for (int more = kDecimals - digits->decimals; more > 0 && value != 0; --more) {
    if (value > kMost / 10) return std::nullopt;
    value *= 10;
  }
  for (int fewer = digits->decimals - kDecimals; fewer > 0 && value != 0; --fewer) value /= 10;
  if (negative) value = -value;
  if (value > kMost || value < kLeast) return std::nullopt;
  return Nanos{value};
}

}  // namespace traceml
