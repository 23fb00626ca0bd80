#pragma once
// What the tables and sentences of traces share.

#include <algorithm>
#include <string>
#include <vector>

#include "harness/core/units.h"
#include "harness/reports/table.h"

namespace traceml {

// "43.140 ms": down to the microsecond, as everything of a trace.
std::string trace_ms(Nanos time);

// "43.140", for tables whose header has the unit.
std::string bare_trace_ms(Nanos time);

// 1234567.0 -> "1.23", in MB = 10^6 bytes.
std::string bare_mb(double bytes);

// "(3 more streams in the JSON)", if any are left out.
void add_rest(std::size_t all, std::size_t shown, const char* what, Table* table);

// A row for each of the first `most` items, and a remark on the rest.
template <class Item, class RowOf>
void add_rows(const std::vector<Item>& items, std::size_t most, const char* what, Table* table,
              const RowOf& row_of) {
  const std::size_t shown = std::min(items.size(), most);
  for (std::size_t i = 0; i < shown; ++i) table->rows.push_back(row_of(items[i]));
  add_rest(items.size(), shown, what, table);
}

}  // namespace traceml
