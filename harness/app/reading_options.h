#pragma once
// The options of the commands that read what other runs left.

#include <CLI/CLI.hpp>
#include <string>

#include "harness/app/command_line.h"

namespace traceml {

// For CLI::Option::check(): the fault, or "".
std::string not_empty(const std::string& text);

void add_report(CLI::App& app, ReportArguments& report);
void add_compare(CLI::App& app, CompareArguments& compare);
void add_history(CLI::App& app, HistoryArguments& history);

}  // namespace traceml
