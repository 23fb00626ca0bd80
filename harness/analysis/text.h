#pragma once
// Numbers in sentences. Analysis links no formatting library.

#include <string>

#include "harness/analysis/summary.h"
#include "harness/core/campaign.h"
#include "harness/core/units.h"

namespace traceml {

// 0.0213 -> "2.13 %"; four digits after the point below 0.1 %.
std::string percent(double fraction);

// 0.0213 -> "+2.13 %".
std::string signed_percent(double fraction);

// "42.190 ms".
std::string in_ms(Millis duration);

// "+42.190 ms".
std::string signed_in_ms(Millis duration);

// "[+0.80 %, +2.40 %]", or for a min_fraction gate the fractions "[93.10 %, 97.40 %]".
std::string range_in_words(const GateSpec& gate, const Interval& theta);

// "+2.00 %", or the fraction asked for.
std::string margin_in_words(const GateSpec& gate);

}  // namespace traceml
