#include "harness/reports/html/html.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "harness/reports/gate_text.h"
#include "harness/reports/html/page_data.h"
#include "harness/reports/html/page_files.h"
#include "harness/reports/html/sha256.h"
#include "harness/reports/terminal.h"
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

// For readers without scripts: what verdict.txt says, and the gates.
std::string plain_gates(const ReportInput& input) {
  std::string list;
  for (const GateText& gate : gate_texts(input)) {
    list += fmt::format("<li>{} {}: {}</li>\n", gate.outcome, xml_text(gate.name),
                        xml_text(gate.figures()));
  }
  return list.empty() ? "" : "<ul>\n" + list + "</ul>\n";
}

}  // namespace

bool html_built() {
  return true;
}

std::string render_html(const ReportInput& input) {
  const std::string verdict = render_verdict_line(input);
  const std::string csp = policy();
  const std::string title = xml_text(input.plan.config.name + ": " + verdict);
  const std::string line = xml_text(verdict);
  const std::string gates = plain_gates(input);
  const std::string data = page_data(input);
  return filled(kPageTemplate, std::array<Part, 8>{{{"policy", csp},
                                                    {"title", title},
                                                    {"style", kPageStyle},
                                                    {"verdict", line},
                                                    {"gates", gates},
                                                    {"data", data},
                                                    {"chart_script", kChartScript},
                                                    {"page_script", kPageScript}}});
}

}  // namespace traceml
