#pragma once
// Figures and tables of the plan's own texts.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/units.h"

namespace traceml {

std::string with_thousands(std::int64_t value);  // "75,750"
std::string percent_figure(double fraction);     // 0.02 -> "2 %", 0.005 -> "0.5 %"
std::string bytes_figure(std::int64_t bytes);    // "49,152 (48.0 KiB)"
std::string millis_figure(Millis time);          // "130 ms"
std::string seconds_figure(Seconds time);        // "45 s", "12 min 5 s", "1 h 3 min"

// Columns two spaces apart, left-aligned; the last one is not padded.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace traceml
