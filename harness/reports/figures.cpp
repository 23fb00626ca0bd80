#include "harness/reports/figures.h"

#include <fmt/format.h>

#include <cmath>

namespace traceml {

std::string fixed(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string grouped(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t start = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > start + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

int decimals_for(Millis largest) {
  const double size = std::abs(largest.count());
  if (size >= 1000) return 1;
  return size >= 10 ? 2 : 3;
}

std::string bare_ms(std::optional<Millis> value, int decimals) {
  if (!value || !std::isfinite(value->count())) return kNull;
  return fixed(value->count(), decimals);
}

std::string ms(std::optional<Millis> value, int decimals) {
  const std::string figure = bare_ms(value, decimals);
  return figure == kNull ? figure : figure + " ms";
}

std::string signed_ms(Millis value) {
  const double size = std::abs(value.count());
  const int decimals = size >= 10 ? 1 : size >= 0.095 ? 2 : 3;
  const std::string text = fixed(value.count(), decimals);
  return (text.front() == '-' ? text : std::string("+").append(text)) + " ms";
}

std::string percent(std::optional<double> fraction, int decimals) {
  if (!fraction || !std::isfinite(*fraction)) return kNull;
  return fixed(*fraction * 100, decimals) + " %";
}

std::string signed_percent(double fraction, int decimals) {
  const std::string text = fixed(fraction * 100, decimals);
  return text.front() == '-' ? text : std::string("+").append(text);
}

std::string margin_percent(double fraction) {
  return fmt::format("{:.6g} %", fraction * 100);
}

}  // namespace traceml
