#include "harness/reports/trace_rows.h"

#include <fmt/format.h>

#include "harness/reports/figures.h"

namespace traceml {

std::string trace_ms(Nanos time) {
  return ms(std::chrono::duration_cast<Millis>(time), 3);
}

std::string bare_trace_ms(Nanos time) {
  return bare_ms(std::chrono::duration_cast<Millis>(time), 3);
}

std::string bare_mb(double bytes) {
  return fixed(bytes / 1e6, 2);
}

void add_rest(std::size_t all, std::size_t shown, const char* what, Table* table) {
  if (shown == all) return;
  table->remarks.push_back(fmt::format("({} more {} in the JSON)", all - shown, what));
}

}  // namespace traceml
