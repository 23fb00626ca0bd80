#include "harness/reports/gate_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/campaign.h"
#include "harness/codec/gate_figures.h"
#include "harness/reports/command_text.h"
#include "harness/reports/figures.h"
#include "harness/reports/input_table.h"
#include "harness/reports/text.h"
#include "harness/reports/words.h"

namespace traceml {
namespace {

bool is_fraction(const GateResult& gate) {
  return gate.spec.kind == GateKind::kMinFraction;
}

std::string figure(double value, int decimals, bool fraction) {
  return fraction ? fixed(value * 100, decimals) : signed_percent(value, decimals);
}

// So many decimals that two digits of the interval's width show, and that no bound that misses the
// margin looks like it.
int decimals_of(const GateFigures& figures, bool fraction) {
  if (!figures.interval) return 1;
  const auto [lower, upper] = *figures.interval;
  const double width = (upper - lower) * 100;
  int decimals = width >= 1 ? 1 : width >= 0.1 ? 2 : 3;
  // An overhead near zero: one digit of it, at least.
  const bool is_small = !fraction && std::abs(figures.estimate.value_or(1)) < 0.01;
  if (is_small && width < 10) decimals = std::max(decimals, 2);
  const auto hides = [&](double bound) {
    return bound != figures.margin &&
           figure(bound, decimals, fraction) == figure(figures.margin, decimals, fraction);
  };
  while (decimals < 4 && (hides(lower) || hides(upper))) ++decimals;
  return decimals;
}

std::string interval_text(const std::optional<Interval>& interval, int decimals, bool fraction) {
  if (!interval) return kNull;
  return fmt::format("[{}, {}]", figure(interval->lower, decimals, fraction),
                     figure(interval->upper, decimals, fraction));
}

std::string estimate_text(const GateResult& gate, const GateFigures& figures,
                          const CampaignFacts& facts, int decimals) {
  if (!figures.estimate) return "no estimate";
  if (gate.stored && gate.stored->guard) {
    return signed_percent(*figures.estimate, decimals) + " % wall per step over " +
           facts.arms.at(static_cast<std::size_t>(gate.spec.baseline.value)).name + "'s";
  }
  if (!is_fraction(gate)) {
    return signed_percent(*figures.estimate, decimals) + " % " +
           (facts.commands ? judged_number(*facts.commands) : "wall per step");
  }
  const ArmFacts& baseline = facts.arms.at(static_cast<std::size_t>(gate.spec.baseline.value));
  const std::string of = baseline.input_free ? "input-free" : baseline.name + "'s";
  return fmt::format("{} of {} throughput", percent(*figures.estimate, decimals), of);
}

// The parts that moved, largest first, then the rest in one clause.
std::string where_text(const GateResult& gate) {
  const auto size = [](const PhaseDifference& part) { return std::abs(part.difference.count()); };
  double largest = 0;
  for (const PhaseDifference& part : gate.where) largest = std::max(largest, size(part));
  std::vector<std::string> moved;
  std::vector<std::string> still;
  double largest_still = 0;
  for (const PhaseDifference& part : gate.where) {
    const std::string clock =
        part.clock == gate.where.front().clock ? "" : fmt::format(" ({})", clock_name(part.clock));
    if (moved.size() < 4 && size(part) >= largest / 10) {
      moved.push_back(fmt::format("{} {}{}", part.what, signed_ms(part.difference), clock));
    } else {
      still.push_back(part.what);
      largest_still = std::max(largest_still, size(part));
    }
  }
  std::string text = fmt::format("where: {}", joined(moved, ", "));
  if (gate.mean_difference) {
    text += fmt::format(" of {} wall per step", signed_ms(*gate.mean_difference));
  }
  if (!still.empty()) {
    text += fmt::format("; {} within {}", joined(still, ", "),
                        signed_ms(Millis(largest_still)).substr(1));
  }
  return text + fmt::format(" ({}, mean of ranks and steps)", clock_name(gate.where.front().clock));
}

std::string why_text(const GateResult& gate) {
  std::string text;
  if (gate.reason) text = fmt::format("{}: ", name_of(*gate.reason));
  text += gate.why;
  std::vector<std::string> others;
  for (const Reason reason : gate.all_reasons) {
    if (reason != gate.reason) others.emplace_back(name_of(reason));
  }
  if (!others.empty()) text += fmt::format(" (also {})", joined(others, ", "));
  return text;
}

std::string differs_text(const std::vector<std::string>& keys) {
  if (keys.size() == 1) return "differ in " + keys.front();
  return fmt::format("combined effect of {} settings: {}", keys.size(), joined(keys, "; "));
}

std::string per_rank_text(const std::vector<std::pair<Rank, Millis>>& ranks) {
  if (ranks.size() > kManyRanks) {
    const auto [least, most] =
        std::minmax_element(ranks.begin(), ranks.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
    return fmt::format("wall per step, {} ranks: from {} (rank {}) to {} (rank {})", ranks.size(),
                       signed_ms(least->second), least->first.value, signed_ms(most->second),
                       most->first.value);
  }
  std::vector<std::string> parts;
  for (const auto& [rank, difference] : ranks) {
    parts.push_back(fmt::format("rank {} {}", rank.value, signed_ms(difference)));
  }
  return "wall per step: " + joined(parts, ", ");
}

std::string guard_text(const ReferenceGuard& guard) {
  if (!guard.theta) return fmt::format("{} itself is not known", guard.arm);
  GateFigures figures;
  figures.estimate = std::expm1(*guard.theta);
  figures.margin = guard.delta;
  if (guard.interval) {
    figures.interval =
        Interval{std::expm1(guard.interval->lower), std::expm1(guard.interval->upper)};
  }
  const int decimals = decimals_of(figures, false);
  return fmt::format("guard {}: {} itself {} % {}, allows < {}, can see {}", word_of(guard.outcome),
                     guard.arm, signed_percent(*figures.estimate, decimals),
                     interval_text(figures.interval, decimals, false), margin_percent(guard.delta),
                     percent(guard.minimum_detectable, 2));
}

// What the stored campaigns can see comes first: it says what the verdict is worth.
std::string stored_text(const GateResult& gate) {
  const StoredComparison& stored = *gate.stored;
  if (stored.campaigns.empty()) return "";
  std::string text = fmt::format("can see a change of {}; pin {}, campaigns",
                                 percent(gate.minimum_detectable, 2), stored.pin);
  for (const std::string& campaign : stored.campaigns) {
    text += campaign.substr(campaign.rfind(' '));  // " 3" of "campaign 3"
  }
  if (stored.guard) text += "; " + guard_text(*stored.guard);
  if (!stored.treatments.empty()) text += "; judged: " + joined(stored.treatments, "; ");
  if (!stored.also_differ.empty()) {
    text += "; not compared and different: " + joined(stored.also_differ, ", ");
  }
  return text;
}

std::string scope_text(const GateResult& gate, const CampaignFacts& facts) {
  const auto counted = [](int count, const char* one, const char* more) {
    return fmt::format("{} {}", count, count == 1 ? one : more);
  };
  if (gate.stored) {
    std::string against = counted(gate.launches, "launch", "launches");
    if (gate.stored->candidates > 1) {
      against = fmt::format("{} ({})", gate.stored->candidates, against);
    } else if (gate.stored->confirmation && gate.stored->confirmation->outcome) {
      against = "twice " + against;
    }
    return counted(static_cast<int>(gate.stored->campaigns.size()), "campaign", "campaigns") +
           " against " + against;
  }
  if (!facts.pooled) return counted(gate.blocks, "block", "blocks");
  return counted(gate.launches, "launch", "launches") + " of " +
         counted(facts.max_blocks, "block", "blocks");
}

GateText text_of_gate(const GateResult& gate, const CampaignFacts& facts) {
  const GateFigures figures = figures_of(gate);
  const bool fraction = is_fraction(gate);
  const int decimals = decimals_of(figures, fraction);
  GateText text;
  text.outcome = word_of(gate.outcome);
  text.name = gate.spec.name;
  text.estimate = estimate_text(gate, figures, facts, decimals);
  text.interval = interval_text(figures.interval, decimals, fraction);
  text.margin = (fraction ? "needs > " : "allows < ") + margin_percent(figures.margin);
  text.scope = scope_text(gate, facts);
  if (gate.outcome == Outcome::kFail && !gate.where.empty()) text.where = where_text(gate);
  if (gate.outcome == Outcome::kInconclusive) text.why = why_text(gate);
  if (gate.escalated) text.why = gate.why;
  if (gate.stored) text.stored = stored_text(gate);
  if (gate.stored && gate.outcome == Outcome::kFail) text.where = gate.why;
  text.outside_step = gate.outside_step;
  if (!gate.differing_keys.empty()) text.differs = differs_text(gate.differing_keys);
  if (gate.per_rank_difference && !gate.per_rank_difference->empty()) {
    text.per_rank = per_rank_text(*gate.per_rank_difference);
  }
  text.counts_as_pass = counts_as_pass(gate);
  text.counts_as_failure =
      gate.outcome == Outcome::kFail || (!text.counts_as_pass && gate.spec.inconclusive_fails);
  return text;
}

}  // namespace

std::string word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return "PASS";
    case Outcome::kFail:
      return "FAIL";
    case Outcome::kInconclusive:
      return "INCONCLUSIVE";
  }
  return "";
}

std::string GateText::figures() const {
  return fmt::format("{} {}, {}, {}", estimate, interval, margin, scope);
}

std::string change_of(const GateResult& gate) {
  const GateFigures figures = figures_of(gate);
  if (!figures.estimate) return kNull;
  const int decimals = decimals_of(figures, false);
  const std::string estimate = signed_percent(*figures.estimate, decimals);
  return figures.interval ? estimate + " " + interval_text(figures.interval, decimals, false)
                          : estimate;
}

std::vector<const GateResult*> worst_first(const CampaignSummary& summary) {
  std::vector<const GateResult*> gates;
  for (const Outcome outcome : {Outcome::kFail, Outcome::kInconclusive, Outcome::kPass}) {
    for (const GateResult& gate : summary.gates) {
      if (gate.outcome == outcome) gates.push_back(&gate);
    }
  }
  return gates;
}

std::vector<std::string> GateText::sentences() const {
  std::vector<std::string> said;
  for (const std::string& sentence : {stored, why, where, input, outside_step, per_rank, differs}) {
    if (!sentence.empty()) said.push_back(sentence);
  }
  return said;
}

std::vector<GateText> gate_texts(const ReportInput& input) {
  std::vector<GateText> texts;
  for (const GateResult* gate : worst_first(input.summary)) {
    texts.push_back(text_of_gate(*gate, input.plan.facts));
    const auto candidate = static_cast<std::size_t>(gate->spec.candidate.value);
    const bool ran = !gate->spec.left_out;
    if (ran && gate->outcome == Outcome::kFail && candidate < input.summary.arms.size()) {
      texts.back().input = input_sentence(input.summary.arms[candidate]);
    }
  }
  return texts;
}

std::string gates_basis(const CampaignFacts& facts) {
  if (facts.commands) return command_basis(facts);
  if (facts.pooled) {
    std::string basis = fmt::format(
        "Judged: wall per step, host clock, device synchronised, max over ranks, as the mean of "
        "the ratios within the blocks of each launch; the launch is the unit. Each verdict is "
        "wrong with probability {:.4g} % at most.",
        facts.alpha * 100);
    if (!facts.stored_gates.empty()) {
      basis += " Against stored campaigns the campaign is the unit, judged once.";
    }
    return basis;
  }
  if (facts.launches > 0) {
    return "Judged: nothing yet; this is one of several launches, which are judged together.";
  }
  const bool profiled = !facts.noise_profile.empty();
  return fmt::format(
      "Judged: wall per step, host clock, device synchronised, max over ranks, as ratios within "
      "blocks of this launch. Each verdict is wrong with probability {}{:.4g} %{}; intervals "
      "allow for {:.4g} % (sd) between launches{}.",
      profiled ? "of about " : "", facts.alpha * 100, profiled ? "" : " at most",
      facts.interaction_sd * 100,
      profiled ? fmt::format(", an estimate by the noise profile {}", facts.noise_profile) : "");
}

std::optional<Table> gate_statistics(const ReportInput& input) {
  const auto& gates = input.summary.gates;
  if (std::none_of(gates.begin(), gates.end(),
                   [](const GateResult& gate) { return gate.theta.has_value(); })) {
    return std::nullopt;
  }
  const bool launches = input.plan.facts.pooled;
  const std::string units = launches ? "launches" : "blocks";
  Table table;
  table.title = "How sure";
  table.caption = input.plan.facts.commands
                      ? "numbers of launches; in % as the gate is written."
                      : "wall per step, host clock, max over ranks; in % as the gate is written.";
  table.columns = {{"gate", true, 0, true},
                   {units},
                   {"could\nhave seen"},
                   {"90 %\ninterval", false, 1, false},
                   {"order\neffect", false, 2, false},
                   {"spread of\n" + units, false, 3, false},
                   {"direction", true, 4, false},
                   {"median\n(HL)", false, 5, false},
                   {"unseen\nbelow", false, 6, false}};
  for (const GateResult* listed : worst_first(input.summary)) {
    const GateResult& gate = *listed;
    const bool fraction = is_fraction(gate);
    const GateFigures figures = figures_of(gate);
    const auto log_percent = [](const std::optional<double>& value) {
      return value ? signed_percent(std::expm1(*value), 2) + " %" : std::string(kNull);
    };
    std::string median = kNull;
    if (gate.hodges_lehmann) {
      median =
          fraction ? percent(std::exp(-*gate.hodges_lehmann), 2) : log_percent(gate.hodges_lehmann);
    }
    table.rows.push_back(
        {gate.spec.name,
         gate.stored ? fmt::format("{} campaigns", gate.stored->campaigns.size())
                     : std::to_string(launches ? gate.launches : gate.blocks),
         percent(gate.minimum_detectable, 2), interval_text(figures.interval_90, 2, fraction),
         log_percent(gate.order_effect), percent(gate.pair_sd, 2),
         std::string(name_of(gate.direction)), median, percent(gate.unseen_fraction, 0)});
  }
  table.remarks = {fmt::format(
      "could have seen: the change that so many {} tell from none in 4 of 5 runs. order effect: "
      "what running first in a block costs; it cancels. unseen below: an event in a smaller share "
      "of the {} may have gone unseen.",
      units, launches ? units : measured_units(input.plan.facts))};
  return table;
}

}  // namespace traceml
