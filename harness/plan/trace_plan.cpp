#include "harness/plan/trace_plan.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/command_rules.h"
#include "harness/plan/figures.h"

namespace traceml {

namespace {

ArmIndex named_arm(const Config& config) {
  if (const auto arm = arm_named(config, config.trace.arm)) return *arm;
  std::string names;
  for (const ArmConfig& arm : config.arms) {
    if (!arm.hidden) names += (names.empty() ? "" : ", ") + arm.name;
  }
  throw UsageError(opening_for(config, "trace.arm") + "trace.arm is " + config.trace.arm +
                   ", which is no arm; there are: " + names);
}

ArmIndex usual_arm(const Config& config, const CampaignFacts& facts) {
  if (!facts.gates.empty()) return facts.gates.front().candidate;
  if (!facts.stored_gates.empty()) return facts.stored_gates.front().candidate;
  for (std::size_t i = 0; i < config.arms.size(); ++i) {
    if (!facts.arms[i].input_free) return ArmIndex{static_cast<int>(i)};
  }
  return ArmIndex{0};
}

// A twin that an overhead gate added is the same step: the arm that was written stands for it, so
// that its name is one of the config and its bare twin is what it is held against.
ArmIndex written_arm(const Config& config, ArmIndex arm) {
  const ArmConfig& one = config.arms[static_cast<std::size_t>(arm.value)];
  if (!one.hidden) return arm;
  return arm_named(config, one.name.substr(0, one.name.rfind('/'))).value_or(arm);
}

std::string range(std::int64_t first, std::int64_t count) {
  if (count == 1) return std::to_string(first);
  return std::to_string(first) + " to " + std::to_string(first + count - 1);
}

std::string words_of(const TraceStretch& stretch) {
  const std::string cycle = ", cycle " + std::to_string(stretch.cycle);
  switch (stretch.action) {
    case TraceAction::kSkip:
      return "skip first: tracing off";
    case TraceAction::kWait:
      return "wait: tracing off" + cycle;
    case TraceAction::kWarmup:
      return "warm-up: traced, thrown away" + cycle;
    case TraceAction::kActive:
      break;
  }
  return "active: kept" + cycle;
}

void look_at_operators(const Config& config, ArmIndex index, std::vector<std::string>* notes) {
  if (!config.trace.operators) return;
  const ArmConfig& arm = config.arms[static_cast<std::size_t>(index.value)];
  if (arm.workload.spins()) {
    throw UsageError(
        opening_for(config, "trace.operators") +
        "trace.operators: model spin runs no operators of libtorch; leave the key out, "
        "or trace a model that trains");
  }
  if (arm.workload.execution == Execution::kGraph) {
    notes->push_back("trace.operators: arm " + arm.name +
                     " replays a captured graph, which runs no operators: those around the replay "
                     "alone are recorded.");
  }
}

}  // namespace

std::int64_t TracePlan::steps() const {
  const std::int64_t cycle = schedule.wait + schedule.warmup + schedule.active;
  return schedule.skip_first + schedule.repeat * cycle;
}

std::int64_t TracePlan::longest_stretch() const {
  return std::max({schedule.skip_first, schedule.wait, schedule.warmup, schedule.active});
}

std::vector<TraceStretch> TracePlan::stretches() const {
  std::vector<TraceStretch> all;
  std::int64_t next = 0;
  const auto add = [&](TraceAction action, int cycle, std::int64_t count) {
    if (count > 0) all.push_back({action, cycle, next, count});
    next += count;
  };
  add(TraceAction::kSkip, 0, schedule.skip_first);
  for (int cycle = 0; cycle < schedule.repeat; ++cycle) {
    add(TraceAction::kWait, cycle, schedule.wait);
    add(TraceAction::kWarmup, cycle, schedule.warmup);
    add(TraceAction::kActive, cycle, schedule.active);
  }
  return all;
}

const char* name_of(TraceAction action) {
  switch (action) {
    case TraceAction::kSkip:
      return "skip_first";
    case TraceAction::kWait:
      return "wait";
    case TraceAction::kWarmup:
      return "warmup";
    case TraceAction::kActive:
      break;
  }
  return "active";
}

std::optional<TracePlan> trace_plan_of(const Config& config, const CampaignFacts& facts,
                                       std::vector<std::string>* notes) {
  if (config.trace.active == 0 || !config.measure.equal_arms.empty()) return std::nullopt;
  if (runs_commands(config)) {
    throw UsageError(opening_for(config, "trace.active") +
                     "trace: arms that are commands run in processes of their own, which are not "
                     "traced; leave the trace out, or trace them with their own profiler");
  }
  TracePlan plan;
  plan.schedule = config.trace;
  plan.arm =
      written_arm(config, config.trace.arm.empty() ? usual_arm(config, facts) : named_arm(config));
  if (config.trace.warmup == 0) {
    notes->push_back(
        "trace.warmup is 0: the first traced step pays for switching the tracing on; one or two "
        "steps take that cost.");
  }
  look_at_operators(config, plan.arm, notes);
  const std::int64_t queue = facts.arms[static_cast<std::size_t>(plan.arm.value)].queue_capacity;
  if (queue >= config.trace.active) {
    notes->push_back("trace.active is " + std::to_string(config.trace.active) +
                     ", no longer than the loader's queue of " + std::to_string(queue) +
                     " batches: such a trace cannot show input stalls.");
  }
  return plan;
}

std::string trace_section(const std::optional<TracePlan>& plan, const CampaignFacts& facts) {
  if (!plan) return "";
  TextTable table({"step of the traced window", "action"});
  for (const TraceStretch& stretch : plan->stretches()) {
    table.add({range(stretch.first, stretch.count), words_of(stretch)});
  }
  return table.text() + "traced after all measured windows, and never judged: " +
         facts.arms[static_cast<std::size_t>(plan->arm.value)].name +
         ", one file a rank and cycle\n\n";
}

}  // namespace traceml
