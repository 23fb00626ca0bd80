#pragma once
// How numbers look, in every report. Null is a dash.

#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/units.h"

namespace traceml {

inline constexpr const char* kNull = "-";

// Never "-0.00".
std::string fixed(double value, int decimals);

// "75,750".
std::string grouped(std::int64_t count);

// How many decimals of milliseconds a table needs whose largest figure this is.
int decimals_for(Millis largest);

// "43.14", without the unit, for tables whose header has it.
std::string bare_ms(std::optional<Millis> value, int decimals);

// "43.14 ms", "-".
std::string ms(std::optional<Millis> value, int decimals);

// "+0.31 ms": a difference; as many decimals as it takes for two digits.
std::string signed_ms(Millis value);

// 0.978 -> "97.8 %".
std::string percent(std::optional<double> fraction, int decimals);

// 0.031 -> "+3.1", without the sign of per cent.
std::string signed_percent(double fraction, int decimals);

// As a person writes a margin: 0.02 -> "2 %", 0.995 -> "99.5 %".
std::string margin_percent(double fraction);

}  // namespace traceml
