#include "harness/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/equal_arms.h"
#include "harness/plan/gates.h"
#include "harness/plan/spin_rules.h"
#include "harness/plan/sweep.h"

namespace traceml {

namespace {

constexpr std::int64_t kDefaultSteps = 48;   // statistics 2.2, in-process windows
constexpr std::int64_t kDefaultWarmup = 16;  // statistics 2.10
constexpr std::int64_t kMinSteps = 8;        // statistics 2.2
constexpr std::int64_t kMaxPeriod = 10000;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::string number(std::int64_t value) {
  return std::to_string(value);
}

int period_of(const Config& config, const std::vector<ArmFacts>& arms) {
  if (config.measure.period) return *config.measure.period;
  std::int64_t period = 1;
  for (const ArmFacts& arm : arms) {
    period = std::lcm(period, static_cast<std::int64_t>(arm.period));
    if (period > kMaxPeriod) {
      throw UsageError(opening_for(config, "arms") +
                       "the worker counts of the arms have no common period below " +
                       number(kMaxPeriod) +
                       " steps; choose counts that divide each other, or set "
                       "measure.period");
    }
  }
  return static_cast<int>(period);
}

std::int64_t longest_queue(const std::vector<ArmFacts>& arms) {
  std::int64_t longest = 0;
  for (const ArmFacts& arm : arms) longest = std::max(longest, arm.queue_capacity);
  return longest;
}

// `written` as it stands, or rounded up to an automatic period with a note.
std::int64_t to_whole_periods(const Plan& plan, const char* key, int written,
                              std::vector<std::string>* notes) {
  const std::int64_t period = plan.facts.period;
  const std::int64_t rounded = round_up(written, period);
  if (rounded == written) return written;
  if (plan.config.measure.period) {
    throw UsageError(opening_for(plan.config, key) + key + " is " + number(written) +
                     ", no multiple of measure.period " + number(period) + "; write " +
                     number(rounded));
  }
  notes->push_back(std::string(key) + " rounded up from " + number(written) + " to " +
                   number(rounded) + ", a multiple of the stall period " + number(period) + ".");
  return rounded;
}

void resolve_steps(Plan* plan) {
  const MeasureConfig& measure = plan->config.measure;
  CampaignFacts& facts = plan->facts;
  facts.period = period_of(plan->config, facts.arms);
  const std::int64_t p = facts.period;
  const std::int64_t queue = longest_queue(facts.arms);
  const std::int64_t least = std::max(2 * p, kMinSteps);
  if (measure.steps) {
    facts.steps_per_window = to_whole_periods(*plan, "measure.steps", *measure.steps, &plan->notes);
    if (facts.steps_per_window < least) {
      throw UsageError(opening_for(plan->config, "measure.steps") + "measure.steps is " +
                       number(*measure.steps) + "; a window needs at least " + number(least) +
                       " steps (8, or two stall periods)");
    }
    if (facts.steps_per_window < 2 * queue) {
      plan->notes.push_back("windows of " + number(facts.steps_per_window) +
                            " steps are shorter than twice the loader's queue of " + number(queue) +
                            " batches: gates of arms with that queue will be inconclusive "
                            "(queue_credit); use " +
                            number(round_up(2 * queue, p)) + " steps or fewer batches ahead.");
    }
  } else {
    facts.steps_per_window = round_up(std::max(kDefaultSteps, 2 * queue), p);
    if (2 * queue > kDefaultSteps) {
      plan->notes.push_back("windows have " + number(facts.steps_per_window) +
                            " steps, to be twice as long as the loader's queue of " +
                            number(queue) + " batches.");
    }
  }
  facts.settle_steps = round_up(std::max(p, queue), p);

  const std::int64_t usual_warmup = round_up(std::max(2 * p, kDefaultWarmup), p);
  facts.warmup_steps = usual_warmup;
  if (measure.warmup_steps) {
    facts.warmup_steps =
        to_whole_periods(*plan, "measure.warmup_steps", *measure.warmup_steps, &plan->notes);
    if (facts.warmup_steps < usual_warmup) {
      plan->notes.push_back("a warm-up of " + number(facts.warmup_steps) +
                            " steps is shorter than the usual " + number(usual_warmup) + ".");
    }
  }
}

// The drain after a window counts as no progress for the watchdog.
void check_drain(const Plan& plan) {
  const MeasureConfig& measure = plan.config.measure;
  if (measure.device_drain < measure.step_timeout) return;
  throw UsageError(opening_for(plan.config, "measure.device_drain") +
                   "measure.device_drain must be shorter than measure.step_timeout, or one lost "
                   "device mark would end the run");
}

// A confidence sequence may be looked at after every balanced pair of blocks (statistics 2.12).
void resolve_sequence(Plan* plan) {
  constexpr int kFirst = 6;  // fewer are too_few_units (statistics 2.9)
  CampaignFacts& facts = plan->facts;
  if (facts.max_blocks % 2 != 0) {
    throw UsageError(opening_for(plan->config, "measure.max_blocks") + "measure.max_blocks is " +
                     number(facts.max_blocks) +
                     "; with measure.until_verdict it must be even, so that arms take turns");
  }
  facts.until_verdict = true;
  facts.looks.clear();
  for (int look = kFirst; look <= facts.max_blocks; look += 2) facts.looks.push_back(look);
}

// A launch of several runs all its blocks and is looked at once; they are judged together later
// (analysis/launch_pool.h), which makes no allowance for what one launch cannot see.
void resolve_launches(Plan* plan) {
  const MeasureConfig& measure = plan->config.measure;
  CampaignFacts& facts = plan->facts;
  facts.launches = measure.launches;
  facts.max_blocks = measure.launch_blocks;
  facts.looks = {facts.max_blocks};
  if (measure.until_verdict) {
    throw UsageError(
        opening_for(plan->config, "measure.until_verdict") +
        "measure.until_verdict looks at the blocks of one launch; several launches are "
        "looked at after 6, 10, 14 and 20 of them");
  }
  if (runs_commands(plan->config)) {
    throw UsageError(opening_for(plan->config, "measure.launches") +
                     "arms that are commands are started launch by launch anyway; leave "
                     "measure.launches out, and run the config without `launch`");
  }
  if (facts.max_blocks % 2 != 0) {
    throw UsageError(opening_for(plan->config, "measure.launch_blocks") +
                     "measure.launch_blocks is " + number(facts.max_blocks) +
                     "; an even number balances the order of the arms");
  }
  if (measure.launch > 0) facts.seed = seed_of_launch(facts.seed, measure.launch);
}

// Those behind measure.launches measure again what failed (statistics 2.8).
int most_launches(const Config& config) {
  if (config.measure.launches <= 1) return 0;
  const bool confirms = std::any_of(config.gates.begin(), config.gates.end(),
                                    [](const GateConfig& gate) { return gate.confirm_on_fail; });
  return config.measure.launches * (confirms ? 2 : 1);
}

// All looks stay, and so their number K: max_blocks ends a run early, it moves no level.
void resolve_looks(Plan* plan) {
  CampaignFacts& facts = plan->facts;
  const MeasureConfig& measure = plan->config.measure;
  if (measure.launch > most_launches(plan->config)) {
    throw UsageError(opening_for(plan->config, "measure.launch") + "measure.launch is " +
                     number(measure.launch) + ", and measure.launches is " +
                     number(measure.launches));
  }
  if (measure.launches > 1) return resolve_launches(plan);
  facts.max_blocks = plan->config.measure.max_blocks;
  if (plan->config.measure.until_verdict) return resolve_sequence(plan);
  if (std::find(facts.looks.begin(), facts.looks.end(), facts.max_blocks) == facts.looks.end()) {
    throw UsageError(
        opening_for(plan->config, "measure.max_blocks") + "measure.max_blocks is " +
        number(facts.max_blocks) +
        "; allowed: 6 | 10 | 14 | 20, or any even number with measure.until_verdict: true");
  }
}

// A replica is not compared between the ranks where nothing keeps it equal.
void note_unexchanged(Plan* plan) {
  for (const ArmConfig& arm : plan->config.arms) {
    if (arm.hidden || arm.workload.exchange != Exchange::kNone) continue;
    plan->notes.push_back(
        plan->facts.world_size == 1
            ? arm.name +
                  " exchanges no gradients, as no arm does with one rank: "
                  "workload.exchange: none changes nothing here."
            : arm.name +
                  " exchanges no gradients: each rank trains alone, and parameters are not "
                  "compared between ranks.");
  }
}

}  // namespace

std::int64_t most_steps_in_a_row(const Plan& plan) {
  return std::max({plan.facts.settle_steps + plan.facts.steps_per_window, plan.facts.warmup_steps,
                   plan.trace ? plan.trace->steps() : 0});
}

Plan make_plan(const Config& config, int world_size) {
  if (world_size < 1) throw UsageError("a run needs at least one rank");
  Plan plan;
  plan.config = config;
  if (!config.measure.equal_arms.empty()) plan.config.sweep = {};  // they take its place, too
  complete_arms(&plan.config);
  use_equal_arms(&plan.config);
  add_hidden_arms(&plan.config);
  plan.facts.world_size = world_size;
  plan.facts.seed = config.seed;
  plan.facts.noise_profile = config.measure.noise_profile;
  if (config.measure.interaction_sd) plan.facts.interaction_sd = *config.measure.interaction_sd;
  plan.facts.arms = facts_of_arms(plan.config, world_size);
  resolve_looks(&plan);
  if (runs_commands(plan.config)) {
    plan_commands(&plan);
  } else {
    resolve_steps(&plan);
    check_drain(plan);
    check_plants(&plan);
    note_unexchanged(&plan);
  }
  plan.facts.sweep = sweep_of(plan);
  plan.facts.gates = gates_of(plan.config, plan.facts);
  plan.facts.stored_gates = stored_gates_of(plan.config, plan.facts);
  plan.trace = trace_plan_of(plan.config, plan.facts, &plan.notes);
  return plan;
}

}  // namespace traceml
