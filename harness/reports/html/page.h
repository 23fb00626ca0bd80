#pragma once
// The form of every page: what those of all commands have in common. page/main.js makes the
// sections that belong to the data's `kind`.

#include <optional>
#include <string>
#include <vector>

#include "harness/reports/html/json_writer.h"
#include "harness/reports/table.h"

namespace traceml {

struct Page {
  std::string title;
  std::string verdict;             // the line that everything comes to
  std::vector<std::string> lines;  // what a reader without scripts should know beside it
  std::string data;                // of a JsonWriter
};

// The whole file.
std::string render_page(const Page& page);

// "name": [...], a member of the object that is open.
void write_sentences(const char* name, const std::vector<std::string>& sentences, JsonWriter* json);

// {"title": ..., "columns": ..., "rows": ...}, a value: cells are text.
void write_table(const Table& table, JsonWriter* json);
// "id": the same, a member of the object that is open; nothing without one.
void write_table(const char* id, const std::optional<Table>& table, JsonWriter* json);

// "name": [["label", "text"], ...]
void write_facts(const char* name, const std::vector<std::pair<std::string, std::string>>& facts,
                 JsonWriter* json);

}  // namespace traceml
