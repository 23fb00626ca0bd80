#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/codec/selfcheck_json.h"
#include "harness/reports/table.h"
#include "harness/reports/terminal.h"

namespace traceml {

// What equal arms were said to be, the noise, what this config can see, planted slowdowns; the
// verdict last. `dir`: where the noise profile lies; empty: its name alone.
std::string render_selfcheck(const SelfcheckReport& report, const std::string& dir,
                             const TerminalStyle& style);

// "STATISTICS HOLD (exit 0): ...".
std::string render_selfcheck_line(const SelfcheckReport& report);

// Its parts: what was checked; {"claims", "0 FAIL; 1 slower, ..."} and so on; tables with rows.
std::string selfcheck_subject(const SelfcheckReport& report);
std::vector<std::pair<std::string, std::string>> selfcheck_facts(const SelfcheckReport& report,
                                                                 const std::string& dir);
std::vector<Table> selfcheck_tables(const SelfcheckReport& report);

}  // namespace traceml
