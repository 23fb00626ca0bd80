#pragma once
// A sweep in words and tables: the same in every report form. Raw text, escaped by the form.

#include <optional>
#include <string>
#include <vector>

#include "harness/reports/report_input.h"
#include "harness/reports/table.h"

namespace traceml {

// "SWEEP", "SWEEP OPEN" where cheaper settings than the answer are unresolved or others may be much
// faster than the best, "NO ANSWER".
std::string sweep_word(const SweepResult& sweep);

// "shipped[workers=2] is the cheapest setting tied with the best", or why there is no answer; with
// the names of settings that leave it open.
std::string sweep_answer(const SweepResult& sweep, const CampaignFacts& facts);

// What was swept, what the answer reaches, what cheapest means.
std::vector<std::string> sweep_sentences(const SweepResult& sweep, const CampaignFacts& facts);

// What holds for the figures of all settings: clock, reduction, level, scope.
std::string sweep_basis(const SweepResult& sweep, const CampaignFacts& facts);

// The settings, cheapest first.
Table sweep_table(const SweepResult& sweep, const CampaignSummary& summary,
                  const CampaignFacts& facts);

// Throughput against the one key whose values differ in all settings; nullopt without such a key.
std::optional<Table> curve_table(const SweepResult& sweep, const CampaignSummary& summary);

}  // namespace traceml
