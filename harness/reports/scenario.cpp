#include "harness/reports/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/codec/gate_figures.h"
#include "harness/plan/arms.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/figures.h"
#include "harness/reports/command_text.h"
#include "harness/reports/text.h"
#include "harness/reports/words.h"

namespace traceml {
namespace {

template <class Count>
std::string plural(Count count, std::string_view what) {
  const std::string_view ending = count == 1 ? "" : what.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, what, ending);
}

bool simulates_a_loader(const Plan& plan) {
  const std::vector<ArmConfig>& arms = plan.config.arms;
  return std::any_of(arms.begin(), arms.end(),
                     [](const ArmConfig& arm) { return arm.workload.spins() && has_loader(arm); });
}

std::string spin_line(const Plan& plan) {
  const WorkloadConfig& workload = plan.config.workload;
  const auto text = [&](const std::string& key) { return text_of(plan.config, key); };
  std::vector<std::string> phases;
  for (const Phase phase : kAllPhases) {
    if (workload.phases_ms[index_of(phase)] == 0) continue;
    if (phase == Phase::kInputWait && simulates_a_loader(plan)) continue;  // it decides
    phases.push_back(fmt::format("{} {}", name_of(phase),
                                 text(fmt::format("workload.phases_ms.{}", name_of(phase)))));
  }
  return fmt::format("spin, which trains nothing: {} ms, all-reduce {} ms, noise {}, {} clock",
                     joined(phases, ", "), text("workload.allreduce_ms"), text("workload.noise"),
                     text("workload.clock"));
}

// "candidate {slowdown: 5%}"; empty: nothing is planted.
std::string planted_line(const Plan& plan) {
  std::vector<std::string> parts;
  for (const ArmConfig& arm : plan.config.arms) {
    if (arm.hidden) continue;
    for (const Plant& plant : arm.plants) {
      parts.push_back(fmt::format("{} {}", arm.name, text_of(plant)));
    }
  }
  return joined(parts, "; ");
}

std::string model_line(const Plan& plan) {
  if (plan.config.workload.spins()) return spin_line(plan);
  const auto text = [&](std::string_view key) { return text_of(plan.config, key); };
  const int batch = plan.config.workload.batch_size;
  return fmt::format(
      "{}, {} classes, {} px, batch {} a rank ({} in all), {}, {}, {}, lr {}, momentum {}",
      text("workload.model"), text("workload.classes"), text("workload.image_size"), batch,
      batch * plan.facts.world_size, text("workload.precision"), text("workload.memory_format"),
      text("workload.execution"), text("workload.optimizer.lr"),
      text("workload.optimizer.momentum"));
}

// The value of a key that arms share, or that it differs: "prefetch 2", "prefetch by arm".
std::string shared_or_by_arm(const Plan& plan, const std::string& key, const std::string& shared) {
  const auto differs = [&](const ArmConfig& arm) {
    return text_of(seen_by(plan.config, arm), key) != text_of(plan.config, key);
  };
  const auto& arms = plan.config.arms;
  if (std::none_of(arms.begin(), arms.end(), differs)) return shared;
  return key.substr(key.rfind('.') + 1) + " by arm";
}

// "reference {input.source: synthetic}; deeper {input.prefetch: 4}"; empty: no arm sets a key. The
// arms of a sweep have their settings in their names and tables.
std::string arms_line(const Plan& plan) {
  std::vector<std::string> parts;
  for (const ArmConfig& arm : plan.config.arms) {
    if (arm.hidden || arm.of_sweep || arm.overridden.empty()) continue;
    std::vector<std::string> keys;
    for (const std::string& key : arm.overridden) {
      keys.push_back(fmt::format("{}: {}", key, text_of(seen_by(plan.config, arm), key)));
    }
    parts.push_back(fmt::format("{} {{{}}}", arm.name, joined(keys, ", ")));
  }
  return joined(parts, "; ");
}

// "a simulated loader: read 0.5, decode 6, resize 1.5 ms a sample; workers 3 a rank, ..."
std::string simulated_data_line(const Plan& plan) {
  const auto said = [&](const std::string& key, const std::string& form) {
    return shared_or_by_arm(plan, key, fmt::format(fmt::runtime(form), text_of(plan.config, key)));
  };
  std::vector<std::string> stages;
  for (const char* stage : {"read", "decode", "resize", "slow_file"}) {
    const std::string key = fmt::format("workload.loader_ms.{}", stage);
    const std::string text = said(key, fmt::format("{} {{}}", stage));
    if (text != fmt::format("{} 0", stage)) stages.push_back(text);
  }
  return fmt::format("a simulated loader: {} ms a sample; {}, {}, {}", joined(stages, ", "),
                     said("input.workers", "workers {} a rank"), said("input.scheduling", "{}"),
                     said("input.prefetch", "prefetch {}"));
}

std::string data_line(const ReportInput& input) {
  if (simulates_a_loader(input.plan)) return simulated_data_line(input.plan);
  const std::string& dataset = input.plan.config.input.dataset;
  if (dataset.empty()) return "none (every arm reads batches from memory)";
  // The folder's own name: reports do not say where it lies on this host.
  std::filesystem::path folder = std::filesystem::path(dataset).lexically_normal();
  if (folder.filename().empty()) folder = folder.parent_path();
  const auto images = input.info.facts.find("dataset_images");
  const auto said = [&](const std::string& key, const std::string& form) {
    return shared_or_by_arm(input.plan, key,
                            fmt::format(fmt::runtime(form), text_of(input.plan.config, key)));
  };
  return fmt::format("{}{}, {}, {}, {}, {}, {}", folder.filename().string(),
                     images == input.info.facts.end() ? "" : " (" + images->second + " images)",
                     said("input.workers", "workers {} a rank"), said("input.scheduling", "{}"),
                     said("input.prefetch", "prefetch {}"), said("input.dtype", "{}"),
                     said("input.cache", "{} cache"));
}

std::string ranks_line(const ReportInput& input) {
  std::string line =
      fmt::format("{} on {}", plural(input.info.world_size, "rank"), input.info.device);
  if (!input.info.exchange.empty()) line += ", exchange " + input.info.exchange;
  const std::string environment = short_form(input.info.environment);
  return environment.empty() ? line : line + "; " + environment;
}

// "6 blocks of at most 10", "6 launches of at most 10, 4 blocks each", "4 blocks, launch 3 of at
// most 6".
std::string amount_text(const ReportInput& input) {
  const CampaignFacts& facts = input.plan.facts;
  if (facts.pooled) {
    return fmt::format("{} of at most {}, {} each", plural(input.summary.launches.size(), "launch"),
                       facts.launches, plural(facts.max_blocks, "block"));
  }
  const std::string blocks = plural(input.summary.blocks, "block");
  if (facts.launches == 0) return fmt::format("{} of at most {}", blocks, facts.max_blocks);
  return fmt::format("{}, launch {} of at most {}", blocks, input.plan.config.measure.launch,
                     facts.launches);
}

std::string plan_line(const ReportInput& input) {
  const CampaignFacts& facts = input.plan.facts;
  return fmt::format(
      "windows of {} after {} to settle, {} of warm-up; {}, seed {}; a step is "
      "input_wait + traced, start of next() to end of the optimizer",
      plural(facts.steps_per_window, "step"), facts.settle_steps, facts.warmup_steps,
      amount_text(input), input.plan.config.seed);
}

std::string facts_line(const RunInfo& info) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : info.facts) {
    if (key != "dataset_images") parts.push_back(key + " " + value);
  }
  return joined(parts, ", ");
}

bool is_complete(const std::string& coverage) {
  const auto slash = coverage.find('/');
  return slash != std::string::npos && coverage.substr(0, slash) == coverage.substr(slash + 1);
}

// "shipped 96/96 on each rank", "shipped 95/96 on rank 1, all on the others".
std::string coverage_text(const ArmSummary& arm) {
  const std::string& first = arm.ranks.front().coverage;
  std::vector<std::string> parts;
  std::size_t same = 0;
  for (const RankFigures& rank : arm.ranks) {
    same += rank.coverage == first ? 1 : 0;
    if (is_complete(rank.coverage)) continue;
    parts.push_back(fmt::format("{} on rank {}", rank.coverage, rank.rank.value));
  }
  if (same == arm.ranks.size()) return fmt::format("{} {} on each rank", arm.name, first);
  const std::size_t incomplete = parts.size();
  if (incomplete > kManyRanks) {
    parts.resize(kManyRanks);
    parts.push_back(fmt::format("... ({} ranks)", incomplete));
  }
  if (incomplete < arm.ranks.size()) parts.emplace_back("all on the others");
  return fmt::format("{} {}", arm.name, joined(parts, ", "));
}

std::string coverage_note(const CampaignSummary& summary) {
  std::vector<std::string> arms;
  bool any_device = false;
  for (const ArmSummary& arm : summary.arms) {
    if (!arm.instrumented || arm.ranks.empty() || arm.ranks.front().coverage.empty()) continue;
    any_device = any_device || arm.clock == Clock::kGpu ||
                 std::any_of(arm.ranks.begin(), arm.ranks.end(), [](const RankFigures& rank) {
                   return !rank.coverage.starts_with("0/");
                 });
    arms.push_back(coverage_text(arm));
  }
  if (arms.empty() || !any_device) return "";
  return fmt::format("Steps with device times: {}.", joined(arms, "; "));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> scenario(const ReportInput& input) {
  if (input.plan.facts.commands) return command_scenario(input);
  std::vector<std::pair<std::string, std::string>> lines = {{"model", model_line(input.plan)},
                                                            {"data", data_line(input)},
                                                            {"ranks", ranks_line(input)},
                                                            {"plan", plan_line(input)}};
  if (const std::string arms = arms_line(input.plan); !arms.empty()) {
    lines.emplace_back("arms", arms);
  }
  if (const std::string facts = facts_line(input.info); !facts.empty()) {
    lines.emplace_back("facts", facts);
  }
  if (const std::string planted = planted_line(input.plan); !planted.empty()) {
    lines.emplace_back("planted", planted);
  }
  return lines;
}

std::string failure_sentence(const RunInfo& info) {
  return info.failure.empty()
             ? "the run ended before its plan and left no reason (killed, or a lost machine)"
             : info.failure;
}

namespace {

// Arms that read other samples than the data set lists did other work than they say.
std::string replaced_warning(const RunInfo& info) {
  const auto count = [&](const char* name) {
    const auto found = info.counters.find(name);
    return found == info.counters.end() ? std::int64_t{0} : found->second;
  };
  const std::int64_t replaced = count("samples_replaced");
  const std::int64_t delivered = count("samples_delivered");
  if (replaced <= 0 || delivered <= 0) return "";
  return fmt::format(
      "{} of {} samples ({:.1f} %) could not be decoded and were replaced by others.",
      with_thousands(replaced), with_thousands(delivered),
      100.0 * static_cast<double>(replaced) / static_cast<double>(delivered));
}

}  // namespace

std::vector<std::string> warnings_of(const ReportInput& input) {
  const CampaignSummary& summary = input.summary;
  std::vector<std::string> warnings;
  if (!input.info.distortions.empty()) {
    warnings.push_back(
        fmt::format("The environment distorts times: {}.", joined(input.info.distortions, ", ")));
  }
  if (const std::string replaced = replaced_warning(input.info); !replaced.empty()) {
    warnings.push_back(replaced);
  }
  for (const Straggler& straggler : summary.stragglers) {
    if (!straggler.recurring) continue;
    warnings.push_back(fmt::format("Rank {} came last to the all-reduce on {} of {} steps of {}.",
                                   straggler.rank.value, straggler.last_steps, straggler.of_steps,
                                   straggler.arm));
  }
  warnings.insert(warnings.end(), summary.warnings.begin(), summary.warnings.end());
  return warnings;
}

std::vector<std::string> notes_of(const ReportInput& input) {
  std::vector<std::string> notes;
  if (const std::string coverage = coverage_note(input.summary); !coverage.empty()) {
    notes.push_back(coverage);
  }
  for (const auto& [arm, difference] : input.info.equal_by_design) {
    notes.push_back(fmt::format("{} differs from its reference by design: {}", arm, difference));
  }
  notes.insert(notes.end(), input.plan.notes.begin(), input.plan.notes.end());
  notes.insert(notes.end(), input.info.notes.begin(), input.info.notes.end());
  std::vector<std::string> counters;
  for (const auto& [name, count] : input.info.counters) {
    if (count != 0) counters.push_back(fmt::format("{} {}", name, count));
  }
  if (!counters.empty()) notes.push_back("Counters: " + joined(counters, ", ") + ".");
  return notes;
}

}  // namespace traceml
