#include "harness/analysis/text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace traceml {

namespace {

// One number in a printf format that takes one double.
std::string print(const char* form, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), form, value);
  return buffer.data();
}

bool is_tiny(double fraction) {
  return fraction != 0 && std::abs(fraction) < 1e-3;
}

}  // namespace

std::string percent(double fraction) {
  return print(is_tiny(fraction) ? "%.4f %%" : "%.2f %%", 100 * fraction);
}

std::string signed_percent(double fraction) {
  return print(is_tiny(fraction) ? "%+.4f %%" : "%+.2f %%", 100 * fraction);
}

std::string in_ms(Millis duration) {
  return print("%.3f ms", duration.count());
}

std::string signed_in_ms(Millis duration) {
  return print("%+.3f ms", duration.count());
}

std::string range_in_words(const GateSpec& gate, const Interval& theta) {
  const bool fraction = gate.kind == GateKind::kMinFraction;
  std::string range = "[";
  range += fraction ? percent(std::exp(-theta.upper)) : signed_percent(std::expm1(theta.lower));
  range += ", ";
  range += fraction ? percent(std::exp(-theta.lower)) : signed_percent(std::expm1(theta.upper));
  return range + "]";
}

std::string margin_in_words(const GateSpec& gate) {
  if (gate.kind != GateKind::kMinFraction) return signed_percent(gate.delta);
  return percent(gate.min_fraction.value_or(1 / (1 + gate.delta)));
}

}  // namespace traceml
