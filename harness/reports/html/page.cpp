#include "harness/reports/html/page.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "harness/reports/html/page_files.h"
#include "harness/reports/html/sha256.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

struct Part {
  std::string_view mark;  // in the template, between {{ and }}
  std::string_view content;
};

// One pass over the template: what a part holds is never searched for marks.
template <std::size_t n>
std::string filled(std::string_view page, const std::array<Part, n>& parts) {
  std::string out;
  while (true) {
    const std::size_t begin = page.find("{{");
    out += page.substr(0, begin);
    if (begin == std::string_view::npos) return out;
    const std::size_t end = page.find("}}", begin);
    const std::string_view mark = page.substr(begin + 2, end - begin - 2);
    const Part* found = nullptr;
    for (const Part& part : parts) {
      if (part.mark == mark) found = &part;
    }
    if (found == nullptr) throw std::logic_error("no part for a mark of page/template.html");
    out += found->content;
    page.remove_prefix(end + 2);
  }
}

// No request leaves the page, and nothing runs or styles it but what is named by its hash.
std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src '{}' '{}'; style-src '{}'; img-src data: blob:; "
      "base-uri 'none'; form-action 'none'",
      source_hash(kChartScript), source_hash(kPageScript), source_hash(kPageStyle));
}

std::string plain_list(const std::vector<std::string>& lines) {
  std::string list;
  for (const std::string& line : lines) list += fmt::format("<li>{}</li>\n", xml_text(line));
  return list.empty() ? "" : "<ul>\n" + list + "</ul>\n";
}

}  // namespace

std::string render_page(const Page& page) {
  const std::string csp = policy();
  const std::string title = xml_text(page.title);
  const std::string verdict = xml_text(page.verdict);
  const std::string list = plain_list(page.lines);
  return filled(kPageTemplate, std::array<Part, 8>{{{"policy", csp},
                                                    {"title", title},
                                                    {"style", kPageStyle},
                                                    {"verdict", verdict},
                                                    {"lines", list},
                                                    {"data", page.data},
                                                    {"chart_script", kChartScript},
                                                    {"page_script", kPageScript}}});
}

void write_sentences(const char* name, const std::vector<std::string>& sentences,
                     JsonWriter* json) {
  json->key(name);
  json->begin_array();
  for (const std::string& sentence : sentences) json->value(sentence);
  json->end_array();
}

void write_table(const Table& table, JsonWriter* json) {
  json->begin_object();
  json->member("title", table.title);
  json->member("caption", table.caption);
  json->key("columns");
  json->begin_array();
  for (const Column& column : table.columns) {
    json->begin_object();
    json->member("head", column.head);
    json->member("left", column.left);
    json->end_object();
  }
  json->end_array();
  json->key("rows");
  json->begin_array();
  for (const std::vector<std::string>& row : table.rows) {
    json->begin_array();
    for (const std::string& cell : row) json->value(cell);
    json->end_array();
  }
  json->end_array();
  write_sentences("remarks", table.remarks, json);
  json->end_object();
}

void write_facts(const char* name, const std::vector<std::pair<std::string, std::string>>& facts,
                 JsonWriter* json) {
  json->key(name);
  json->begin_array();
  for (const auto& [label, text] : facts) {
    json->begin_array();
    json->value(label);
    json->value(text);
    json->end_array();
  }
  json->end_array();
}

void write_table(const char* id, const std::optional<Table>& table, JsonWriter* json) {
  if (!table) return;
  json->key(id);
  write_table(*table, json);
}

}  // namespace traceml
