#include "harness/analysis/validity.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/command_campaign.h"
#include "harness/analysis/text.h"

namespace traceml {

namespace {

using std::to_string;

constexpr double kQueueCredit = 0.01;  // of the batches of the windows
constexpr double kVoidedAtMost = 0.2;  // of the pairs

const ArmFacts& facts_of(const CampaignFacts& facts, ArmIndex arm) {
  return facts.arms[static_cast<std::size_t>(arm.value)];
}

std::string place_of(const CampaignFacts& facts, const BlockWindow& window, ArmIndex arm,
                     std::size_t rank) {
  const std::string who = "rank " + to_string(rank) + ", " + facts_of(facts, arm).name;
  if (facts.pooled) {
    return who + ", launch " + to_string(window.block / facts.max_blocks + 1) + ", block " +
           to_string(window.block % facts.max_blocks);
  }
  return who + ", window " + to_string(window.window.value) + " (block " + to_string(window.block) +
         ")";
}

std::vector<const BlockWindow*> windows_of(std::span<const BlockPair> blocks, bool candidate) {
  std::vector<const BlockWindow*> windows;
  for (const BlockPair& pair : blocks) {
    if (!pair.voided()) windows.push_back(candidate ? pair.candidate : pair.baseline);
  }
  return windows;
}

std::optional<Finding> bad_time(const CampaignFacts& facts, ArmIndex arm,
                                const std::vector<const BlockWindow*>& windows) {
  for (const BlockWindow* window : windows) {
    for (std::size_t rank = 0; rank < window->records.size(); ++rank) {
      const WindowRecord* record = window->records[rank];
      if (record == nullptr || wall_per_step(record)) continue;
      if (record->reported && facts.commands) {
        return Finding{Reason::kNonfiniteOrNonpositiveTime,
                       no_measure(facts, arm, record->window.value, record->reported->count())};
      }
      return Finding{Reason::kNonfiniteOrNonpositiveTime,
                     place_of(facts, *window, arm, rank) + " took " +
                         in_ms(record->end_host - record->start_host) + " for " +
                         to_string(record->steps) + " steps, which is no time"};
    }
  }
  return std::nullopt;
}

std::optional<Finding> bad_loss(const CampaignFacts& facts, ArmIndex arm,
                                const std::vector<const BlockWindow*>& windows) {
  for (const BlockWindow* window : windows) {
    for (std::size_t rank = 0; rank < window->records.size(); ++rank) {
      const WindowRecord* record = window->records[rank];
      if (record == nullptr) continue;
      const bool first_bad = record->loss_first && !std::isfinite(*record->loss_first);
      const bool last_bad = record->loss_last && !std::isfinite(*record->loss_last);
      if (!first_bad && !last_bad) continue;
      return Finding{Reason::kNonfiniteLoss,
                     "the " + std::string(first_bad ? "first" : "last") + " loss of " +
                         place_of(facts, *window, arm, rank) +
                         " is not finite, and such numbers change the speed of the arithmetic"};
    }
  }
  return std::nullopt;
}

// By the period of the campaign, which the user may have set against what the loaders suggest.
std::optional<Finding> misaligned_period(const CampaignFacts& facts, const std::string& what,
                                         std::int64_t steps) {
  if (facts.period <= 1 || steps % facts.period == 0) return std::nullopt;
  return Finding{Reason::kPhaseMisaligned, what + " of " + to_string(steps) +
                                               " steps is no multiple of the stall period of " +
                                               to_string(facts.period)};
}

std::optional<Finding> misaligned(const CampaignFacts& facts, std::span<const BlockPair> blocks) {
  if (auto finding = misaligned_period(facts, "a window", facts.steps_per_window)) return finding;
  if (auto finding = misaligned_period(facts, "a settle phase", facts.settle_steps)) return finding;
  for (const BlockPair& pair : blocks) {
    if (pair.voided()) continue;
    if (!pair.candidate->ranks_agree || !pair.baseline->ranks_agree) {
      return Finding{Reason::kPhaseMisaligned, "the ranks disagree on order or steps of block " +
                                                   to_string(pair.candidate->block)};
    }
    if (pair.candidate->steps != pair.baseline->steps) {
      return Finding{Reason::kPhaseMisaligned, "the windows of block " +
                                                   to_string(pair.candidate->block) + " have " +
                                                   to_string(pair.candidate->steps) + " and " +
                                                   to_string(pair.baseline->steps) + " steps"};
    }
    if (auto finding = misaligned_period(facts, "a window", pair.candidate->steps)) return finding;
  }
  return std::nullopt;
}

std::optional<Finding> short_window(const CampaignFacts& facts, const ArmFacts& arm) {
  if (arm.queue_capacity <= 0 || facts.steps_per_window >= 2 * arm.queue_capacity) {
    return std::nullopt;
  }
  return Finding{Reason::kQueueCredit, "a window of " + to_string(facts.steps_per_window) +
                                           " steps is shorter than twice the queue of " + arm.name +
                                           " (" + to_string(arm.queue_capacity) +
                                           " batches), which can hide its stalls"};
}

// Depths are whole batches read at one instant: a net change of one batch is their resolution.
std::optional<Finding> queue_credit(const CampaignFacts& facts, ArmIndex arm,
                                    const std::vector<const BlockWindow*>& windows) {
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(facts.world_size); ++rank) {
    std::int64_t shrunk = 0, batches = 0, counted = 0;
    for (const BlockWindow* window : windows) {
      const WindowRecord* record = window->records[rank];
      if (record == nullptr || !record->queue_start || !record->queue_end) continue;
      shrunk += *record->queue_start - *record->queue_end;
      batches += record->steps;
      ++counted;
    }
    if (static_cast<double>(shrunk) <= std::max(1.0, kQueueCredit * static_cast<double>(batches))) {
      continue;
    }
    return Finding{Reason::kQueueCredit,
                   "over " + to_string(counted) + " windows (" + to_string(batches) +
                       " batches) the ready queue of " + facts_of(facts, arm).name + " on rank " +
                       to_string(rank) + " shrank by " + to_string(shrunk) +
                       " batches, more than 1 %: a head start that hides stalls"};
  }
  return std::nullopt;
}

std::optional<Finding> too_few(const CampaignFacts& facts, std::span<const BlockPair> blocks) {
  if (facts.pooled) return std::nullopt;  // too_few_launches() says
  if (facts.launches > 0) {
    return Finding{Reason::kTooFewUnits, "this is one of " + to_string(facts.launches) +
                                             " launches, which are judged together"};
  }
  const int valid = static_cast<int>(
      std::count_if(blocks.begin(), blocks.end(), [](const BlockPair& p) { return !p.voided(); }));
  const int voided = static_cast<int>(blocks.size()) - valid;
  const int first_look = facts.looks.empty()
                             ? kFewestUnits
                             : *std::min_element(facts.looks.begin(), facts.looks.end());
  if (static_cast<int>(blocks.size()) < first_look) {
    return Finding{Reason::kTooFewUnits, to_string(blocks.size()) +
                                             " blocks are complete; the first verdict needs " +
                                             to_string(first_look)};
  }
  if (valid < kFewestUnits) {
    return Finding{Reason::kTooFewUnits, to_string(valid) + " valid pairs (" + to_string(voided) +
                                             " voided); a verdict needs " +
                                             to_string(kFewestUnits)};
  }
  if (voided > kVoidedAtMost * static_cast<double>(blocks.size())) {
    return Finding{Reason::kTooFewUnits, to_string(voided) + " of " + to_string(blocks.size()) +
                                             " pairs were voided, more than 20 %"};
  }
  const auto baseline_first = std::count_if(blocks.begin(), blocks.end(), [](const BlockPair& p) {
    return !p.voided() && p.first() == RanFirst::kBaseline;
  });
  if (baseline_first == 0 || baseline_first == valid) {
    return Finding{Reason::kTooFewUnits,
                   "all " + to_string(valid) +
                       " pairs ran in the same order, so the order's effect is not known"};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Finding> window_findings(const CampaignFacts& facts, const GateSpec& gate,
                                     const GatePairs& gate_pairs,
                                     std::span<const BlockPair> blocks) {
  std::vector<Finding> findings;
  const auto add = [&](std::optional<Finding> finding) {
    if (finding) findings.push_back(std::move(*finding));
  };
  if (!gate_pairs.missing.empty()) {
    add(Finding{Reason::kMissingRank, "rank " + to_string(gate_pairs.missing.front().value) +
                                          " of " + to_string(facts.world_size) +
                                          " lacks windows that other ranks or later blocks have"});
  }
  if (!facts.distortions.empty()) {
    add(Finding{Reason::kDistortingEnvironment,
                facts.distortions.front() + " in the environment makes timings worthless"});
  }
  add(misaligned(facts, blocks));
  for (const bool candidate : {true, false}) {
    const ArmIndex arm = candidate ? gate.candidate : gate.baseline;
    const std::vector<const BlockWindow*> windows = windows_of(blocks, candidate);
    add(bad_time(facts, arm, windows));
    add(bad_loss(facts, arm, windows));
    add(short_window(facts, facts_of(facts, arm)));
    add(queue_credit(facts, arm, windows));
  }
  add(too_few(facts, blocks));
  return findings;
}

void sort_by_precedence(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return precedence_of(a.reason) < precedence_of(b.reason);
  });
}

bool is_permanent(Reason reason) {
  return reason == Reason::kMissingRank || reason == Reason::kNonfiniteOrNonpositiveTime ||
         reason == Reason::kNonfiniteLoss || reason == Reason::kDistortingEnvironment ||
         reason == Reason::kPhaseMisaligned;
}

}  // namespace traceml
