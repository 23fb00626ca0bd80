#pragma once

#include <string>
#include <vector>

namespace traceml {

struct Column {
  std::string head;      // one line, or two with a line break between them
  bool left = false;     // names stand left, figures right
  int drop_order = 0;    // 0: always shown; the highest goes first where a table is too wide
  bool is_name = false;  // user text, shortened where it is long
};

// The same table in every report form; cells are raw text, escaped by the form.
struct Table {
  std::string title;
  std::string caption;  // unit, reduction and clock of every column
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> remarks;    // sentences below it
  std::string rest_in = "summary.md";  // where columns are that a terminal leaves out
};

// Takes out the columns, but the first, in which no row has a figure (figures.h: kNull).
void drop_empty_columns(Table* table);

// Lines that fit `columns`. Columns that do not fit are left out by their drop_order, and named
// below; what still does not fit follows in a second block under the same first column.
std::string draw_table(const Table& table, int columns);

std::string markdown_table(const Table& table);

}  // namespace traceml
