#include "harness/reports/selfcheck_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/reports/figures.h"
#include "harness/reports/table.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

std::string counted(int count, const std::string& one, const std::string& more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::string runs_text(const SelfcheckReport& report) {
  const CampaignFacts& facts = report.summary.facts;
  const std::string blocks = counted(facts.max_blocks, "block", "blocks");
  return report.request.launches > 1
             ? fmt::format("each of {} launches of {}", report.request.launches, blocks)
             : fmt::format("each one launch of at most {}", blocks);
}

std::string claims_text(const FalseClaims& claims) {
  std::string text = fmt::format("{} FAIL; {} slower, {} faster, of two equal arms", claims.fail,
                                 claims.slower, claims.faster);
  text += fmt::format("; at most {} expected on either side of {}", fixed(claims.expected, 1),
                      counted(claims.runs, "run", "runs"));
  return text + (claims.limit ? fmt::format(", {} or more are too many", *claims.limit)
                              : ", too few to show anything");
}

std::string noise_text(const VarianceComponents& noise) {
  return fmt::format(
      "a pair of windows differs by {} (sd) within a launch; what a launch does to one of two "
      "equal "
      "arms: {} (sd), at most {} (95 %), from {} pairs in {} launches",
      percent(noise.pair_sd, 2), percent(noise.interaction_sd, 3),
      percent(noise.interaction_sd_upper, 3), noise.pairs, noise.launches);
}

std::string sees_text(const SelfcheckReport& report) {
  const SelfcheckSummary& summary = report.summary;
  const CampaignFacts& facts = summary.facts;
  const std::string budget =
      facts.pooled ? fmt::format("{} launches of {} blocks", facts.launches, facts.max_blocks)
                   : fmt::format("one launch of {} blocks", facts.max_blocks);
  std::string text = fmt::format("a change of {} from none, in 4 of 5 runs of this config ({})",
                                 percent(summary.minimum_detectable, 2), budget);
  if (facts.pooled) return text;
  text += fmt::format(", which allows for {} between launches", percent(facts.interaction_sd, 3));
  if (!summary.detectable_with_profile) return text;
  return text +
         fmt::format("; {} with the noise profile", percent(summary.detectable_with_profile, 2));
}

std::string profile_text(const SelfcheckReport& report, const std::string& dir) {
  const VarianceComponents& noise = *report.summary.noise;
  if (!report.is_whole() || !report.withheld.empty()) {
    return "none is written: the runs are not all that was asked for";
  }
  if (noise.launches < kFewestLaunchesOfAProfile) {
    return fmt::format("none is written: {} launches say too little, {} say enough", noise.launches,
                       kFewestLaunchesOfAProfile);
  }
  return fmt::format(
      "measure.noise_profile: {}noise_profile.json takes {} in place of the usual 0.3 %, for "
      "this config on this machine",
      dir.empty() ? "" : dir + "/", percent(noise.interaction_sd, 3));
}

// "+3 %": as it was asked for.
std::string effect_text(double effect) {
  return "+" + margin_percent(effect);
}

std::string needed(const std::optional<int>& units) {
  return units ? grouped(*units) : "never";
}

Table budget_table(const SelfcheckReport& report) {
  const SelfcheckSummary& summary = report.summary;
  Table table;
  table.title = "Budget";
  table.caption = fmt::format(
      "to tell an effect from the margin of {}: a single look at {}, noncentral t, with the noise "
      "above.",
      effect_text(summary.delta), margin_percent(summary.facts.alpha));
  table.columns = {
      {"effect", false, 0, false},
      {"power", false, 0, false},
      {"pairs of\none launch", false, 0, false},
      {fmt::format("launches of\n{} blocks", summary.facts.max_blocks), false, 0, false}};
  for (const Budget& budget : summary.budgets) {
    table.rows.push_back({effect_text(budget.effect), percent(budget.power, 0),
                          needed(budget.pairs), needed(budget.launches)});
  }
  table.remarks = {
      "pairs: as if launches did nothing to the ratio; what they do no number of pairs shows. "
      "never: "
      "an effect as large as the margin has no verdict."};
  return table;
}

Table plant_table(const SelfcheckReport& report) {
  Table table;
  table.title = "Planted";
  table.caption = fmt::format(
      "slowdowns beside the equal arms, judged by the margin of {}; estimate: wall per step "
      "against "
      "the plain arm, host clock, max over ranks, mean of runs.",
      effect_text(report.summary.delta));
  table.columns = {{"arm", true, 0, true},
                   {"found in"},
                   {"estimate"},
                   {report.request.launches > 1 ? "launches\nthat took" : "blocks\nthat took"}};
  for (const PlantFound& plant : report.summary.plants) {
    table.rows.push_back({plant.arm, fmt::format("{} of {} runs", plant.found, plant.runs),
                          plant.estimate ? signed_percent(*plant.estimate, 2) + " %" : kNull,
                          plant.found > 0 ? fixed(plant.units, 1) : kNull});
  }
  return table;
}

// What the runs showed, as a word and as a clause.
struct Verdict {
  std::string word;
  std::string why;
};

Verdict verdict_of(const SelfcheckReport& report) {
  const SelfcheckSummary& summary = report.summary;
  const FalseClaims& claims = summary.claims;
  if (!report.is_whole()) {
    return {"UNFINISHED",
            fmt::format("{} of {} runs are there; repeat the command with its --out to go on",
                        report.finished, report.request.runs)};
  }
  if (claims.broken()) {
    const bool slower = claims.slower >= *claims.limit;
    return {"STATISTICS BROKEN HERE",
            fmt::format("{} of {} runs of equal arms are called {}; verdicts on this machine are "
                        "wrong more often than they say",
                        slower ? claims.slower : claims.faster, claims.runs,
                        slower ? "slower" : "faster")};
  }
  for (const PlantFound& plant : summary.plants) {
    if (!plant.seldom()) continue;
    return {"PLANTED AND NOT FOUND",
            fmt::format("{} was found in {} of {} runs", plant.arm, plant.found, plant.runs)};
  }
  if (!report.withheld.empty()) return {"NOTHING SHOWN", report.withheld};
  if (!claims.limit) {
    return {"TOO FEW RUNS", fmt::format("{} with an interval: too few to show the error rates",
                                        counted(claims.runs, "run", "runs"))};
  }
  const std::string told =
      fmt::format("{} and {} of {} runs of equal arms are called slower and faster", claims.slower,
                  claims.faster, claims.runs);
  if (claims.runs >= kRunsOfACheck) return {"STATISTICS HOLD", told};
  return {"NO SIGN AGAINST THEM", fmt::format("{}; {} runs make a check", told, kRunsOfACheck)};
}

class SelfcheckPage {
 public:
  SelfcheckPage(const SelfcheckReport& report, const std::string& dir, const TerminalStyle& style)
      : report_(report), dir_(dir), columns_(std::max(style.columns, 40)), colour_(style.colour) {}

  std::string render() {
    add("", selfcheck_subject(report_));
    page_ += "\n";
    for (const auto& [label, text] : selfcheck_facts(report_, dir_)) {
      add(label == "!" ? "! " : fmt::format("{:<9}", label), text);
    }
    page_ += "\n";
    for (const Table& table : selfcheck_tables(report_)) {
      page_ += draw_table(table, columns_) + "\n";
    }
    add_last_line();
    return page_;
  }

 private:
  void add(std::string_view first, const std::string& text) {
    for (const std::string& line : wrapped(plain_text(text), first, columns_)) page_ += line + "\n";
  }

  void add_last_line() {
    const std::string word = verdict_of(report_).word;
    const std::size_t start = page_.size();
    add("", render_selfcheck_line(report_));
    if (colour_) page_.replace(start, word.size(), in_colour(word));
    if (!dir_.empty()) page_ += plain_text(dir_) + "\n";
  }

  std::string in_colour(const std::string& word) const {
    const int code = exit_code_of(report_);
    const std::string as = code == 0 ? "PASS" : code == 10 ? "FAIL" : "INCONCLUSIVE";
    std::string coloured = outcome_in_colour(as);
    return coloured.replace(coloured.find(as), as.size(), word);
  }

  const SelfcheckReport& report_;
  std::string dir_;
  int columns_;
  bool colour_;
  std::string page_;
};

}  // namespace

std::string selfcheck_subject(const SelfcheckReport& report) {
  return fmt::format("{}: {} against itself, {}, {}", report.config_name, report.request.arm,
                     counted(report.finished, "run", "runs"), runs_text(report));
}

std::vector<std::pair<std::string, std::string>> selfcheck_facts(const SelfcheckReport& report,
                                                                 const std::string& dir) {
  const SelfcheckSummary& summary = report.summary;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"claims", claims_text(summary.claims)},
      {"noise", summary.noise ? noise_text(*summary.noise)
                              : "not known: it takes two launches with valid pairs"}};
  if (summary.minimum_detectable) facts.emplace_back("can see", sees_text(report));
  if (summary.noise) facts.emplace_back("profile", profile_text(report, dir));
  if (report.unfinished > 0) {
    facts.emplace_back("!", fmt::format("{} did not finish and {} measured anew",
                                        counted(report.unfinished, "run", "runs"),
                                        report.unfinished == 1 ? "was" : "were"));
  }
  return facts;
}

std::vector<Table> selfcheck_tables(const SelfcheckReport& report) {
  std::vector<Table> tables;
  if (!report.summary.budgets.empty()) tables.push_back(budget_table(report));
  if (!report.summary.plants.empty()) tables.push_back(plant_table(report));
  return tables;
}

std::string render_selfcheck_line(const SelfcheckReport& report) {
  const Verdict verdict = verdict_of(report);
  return fmt::format("{} (exit {}): {}{}", verdict.word, exit_code_of(report), verdict.why,
                     report.clock.empty() ? "" : ", " + report.clock);
}

std::string render_selfcheck(const SelfcheckReport& report, const std::string& dir,
                             const TerminalStyle& style) {
  return SelfcheckPage(report, dir, style).render();
}

}  // namespace traceml
