#include "harness/analysis/run_set_findings.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/text.h"

namespace traceml {

namespace {

using std::to_string;
using Runs = std::vector<StoredRun>;
using Settings = std::vector<std::pair<std::string, std::string>>;

constexpr double kMostVoided = 0.2;  // docs/statistics.md 2.11

std::vector<const StoredRun*> all_of(const Runs& baseline, const Runs& candidate) {
  std::vector<const StoredRun*> runs;
  for (const StoredRun& run : baseline) runs.push_back(&run);
  for (const StoredRun& run : candidate) runs.push_back(&run);
  return runs;
}

std::vector<std::string> differing(const Settings& baseline, const Settings& candidate) {
  std::map<std::string, std::pair<std::string, std::string>> values;
  for (const auto& [key, value] : baseline) values[key] = {value, "unset"};
  for (const auto& [key, value] : candidate) {
    const auto [at, is_new] = values.try_emplace(key, "unset", value);
    if (!is_new) at->second.second = value;
  }
  std::vector<std::string> list;
  for (const auto& [key, pair] : values) {
    if (pair.first == pair.second) continue;
    list.push_back(
        std::string(key).append(": ").append(pair.second).append(" against ").append(pair.first));
  }
  return list;
}

// The first run that differs from the first of all in `value`, where both say it.
template <class Value>
const StoredRun* first_other(const std::vector<const StoredRun*>& runs, Value value) {
  const StoredRun* first = nullptr;
  for (const StoredRun* run : runs) {
    if (!value(*run)) continue;
    if (first == nullptr) first = run;
    if (*value(*run) != *value(*first)) return run;
  }
  return nullptr;
}

std::optional<int> world_of(const StoredRun& run) {
  return run.world_size > 0 ? std::optional(run.world_size) : std::nullopt;
}

std::optional<std::string> device_of(const StoredRun& run) {
  return run.device.empty() ? std::nullopt : std::optional(run.device);
}

void add_fingerprint(const std::vector<const StoredRun*>& runs, std::vector<Finding>& findings) {
  if (const StoredRun* other = first_other(runs, world_of)) {
    findings.push_back({Reason::kFingerprint, other->label + " has " +
                                                  to_string(other->world_size) +
                                                  " ranks, others have another number"});
  }
  if (const StoredRun* other = first_other(runs, device_of)) {
    findings.push_back({Reason::kFingerprint, other->label + " ran on the device " + other->device +
                                                  ", others on another"});
  }
  const auto declared = [](const StoredRun& run) {
    return run.declared.empty() ? std::nullopt : std::optional(run.declared);
  };
  if (const StoredRun* other = first_other(runs, declared)) {
    for (const StoredRun* run : runs) {
      if (run->declared.empty()) continue;
      findings.push_back(
          {Reason::kFingerprint, other->label + " declares another workload than " + run->label +
                                     ": " + differing(run->declared, other->declared).front()});
      return;
    }
  }
}

void add_misalignment(const std::vector<const StoredRun*>& runs, std::vector<Finding>& findings) {
  const auto gap = [](const StoredRun& run) { return run.gap_steps; };
  const auto truncated = [](const StoredRun& run) { return run.truncated_steps; };
  if (const StoredRun* other = first_other(runs, gap)) {
    findings.push_back({Reason::kPhaseMisaligned,
                        "the sides do not lack the same steps: " + other->label + " lacks " +
                            to_string(*other->gap_steps) + " of its window"});
  }
  if (const StoredRun* other = first_other(runs, truncated)) {
    findings.push_back({Reason::kPhaseMisaligned,
                        "the sides do not cover the same part of the training: " + other->label +
                            " leaves out " + to_string(*other->truncated_steps) + " steps"});
  }
  const auto warm = [](const StoredRun& run) { return std::optional(run.holds_warmup); };
  if (first_other(runs, warm) != nullptr) {
    findings.push_back({Reason::kPhaseMisaligned,
                        "the means of some runs hold their warm-up steps and those of others do "
                        "not"});
  }
}

void add_no_times(RunSetComparison& comparison) {
  for (const RunPair& pair : comparison.pairs) {
    if (pair.log_ratio) continue;
    comparison.findings.push_back({Reason::kNonfiniteOrNonpositiveTime,
                                   pair.baseline + " or " + pair.candidate +
                                       " has a step time that is no time: not a finite number "
                                       "above zero"});
    return;
  }
}

std::string clocks_of(const StoredRun& run) {
  const std::string words = run.step.step_gpu && run.step.step_cpu ? "both clocks"
                            : run.step.step_gpu                    ? "the device clock alone"
                            : run.step.step_cpu                    ? "the host clock alone"
                                                                   : "neither clock";
  return run.label + " has step times of every rank on " + words;
}

// A side whose runs all ended before the other's began: drift between them is in the difference.
bool one_after_the_other(const Runs& first, const Runs& second) {
  std::string last, next;
  for (const StoredRun& run : first) {
    if (run.created_utc.empty()) return false;
    last = std::max(last, run.created_utc);
  }
  for (const StoredRun& run : second) {
    if (run.created_utc.empty()) return false;
    if (next.empty() || run.created_utc < next) next = run.created_utc;
  }
  return last < next;
}

}  // namespace

std::vector<Finding> set_findings(const Runs& baseline, const Runs& candidate, std::size_t units) {
  std::vector<Finding> findings;
  const std::size_t paired = std::min(baseline.size(), candidate.size());
  if (baseline.size() == 1 && candidate.size() == 1) {
    findings.push_back({Reason::kSingleRun,
                        "one run a side: how much runs differ by themselves is not known; the "
                        "difference is advisory"});
  } else if (paired < std::size_t(kFewestUnits)) {
    findings.push_back(
        {Reason::kTooFewUnits,
         to_string(paired) + " pairs of runs; a verdict needs " + to_string(kFewestUnits)});
  }
  const std::size_t voided = paired - units;
  if (units == 0) {
    findings.push_back({Reason::kTooFewUnits, "no pair of runs is whole"});
  } else if (paired >= std::size_t(kFewestUnits) && units < std::size_t(kFewestUnits)) {
    findings.push_back({Reason::kTooFewUnits, to_string(units) +
                                                  " pairs of whole runs; a verdict "
                                                  "needs " +
                                                  to_string(kFewestUnits)});
  } else if (double(voided) > kMostVoided * double(paired)) {
    findings.push_back({Reason::kTooFewUnits, to_string(voided) + " of " + to_string(paired) +
                                                  " pairs are void, more than a fifth"});
  }
  return findings;
}

std::vector<std::string> set_notes(const Runs& baseline, const Runs& candidate) {
  std::vector<std::string> notes;
  const std::size_t paired = std::min(baseline.size(), candidate.size());
  if (baseline.size() > 1 || candidate.size() > 1) {
    notes.push_back(
        "Each file is one launch; the first baseline is paired with the first candidate, and so "
        "on, in the order given.");
  }
  for (const Runs* side : {&baseline, &candidate}) {
    for (std::size_t i = paired; i < side->size(); ++i) {
      notes.push_back((*side)[i].label + " has no partner and is left out.");
    }
    for (std::size_t i = 0; i < paired; ++i) {
      if ((*side)[i].void_reason.empty()) continue;
      notes.push_back((*side)[i].label +
                      " is left out with its partner: " + (*side)[i].void_reason + ".");
    }
  }
  if (paired > 1 &&
      (one_after_the_other(baseline, candidate) || one_after_the_other(candidate, baseline))) {
    notes.push_back(
        "All runs of one side ended before the other's first: what drifted between them is part "
        "of the difference; alternating launches cancel it.");
  }
  return notes;
}

void add_findings(const Runs& baseline, const Runs& candidate, RunSetComparison& comparison) {
  std::vector<Finding>& findings = comparison.findings;
  const auto runs = all_of(baseline, candidate);
  for (const StoredRun* run : runs) {
    for (const Finding& finding : run->findings) {
      findings.push_back({finding.reason, run->label + ": " + finding.why});
    }
  }
  if (!comparison.figure) {
    const auto least = [](const StoredRun* a, const StoredRun* b) {
      const auto clocks = [](const StoredRun* run) {
        return (run->step.step_cpu ? 1 : 0) + (run->step.step_gpu ? 1 : 0);
      };
      return clocks(a) < clocks(b);
    };
    const auto poorest = std::min_element(runs.begin(), runs.end(), least);
    findings.push_back({Reason::kNoCommonClock,
                        "no clock has the step times of all runs: " + clocks_of(**poorest)});
  }
  add_no_times(comparison);
  add_fingerprint(runs, findings);
  // The wall of a window has no gaps.
  if (comparison.figure != Figure::kWall) add_misalignment(runs, findings);
}

void add_notes(const Runs& baseline, const Runs& candidate, RunSetComparison& comparison) {
  std::vector<std::string>& notes = comparison.notes;
  const auto runs = all_of(baseline, candidate);
  const auto warm = [](const StoredRun* run) { return run->holds_warmup; };
  if (std::any_of(runs.begin(), runs.end(), warm)) {
    notes.push_back(
        "The means that TraceML reports hold its warm-up steps: a difference may be one of "
        "warming up.");
  }
  if (!comparison.phase_clock) {
    notes.push_back(
        "Phases are not compared: the windows did not all select the same clock for them.");
  }
  if (comparison.differences.size() > 1) {
    notes.push_back("The difference is the combined effect of " +
                    to_string(comparison.differences.size()) + " settings.");
  }
  for (const Runs* side : {&baseline, &candidate}) {
    for (const StoredRun& run : *side) {
      if (!differing(side->front().settings, run.settings).empty()) {
        notes.push_back(
            run.label + " has other settings than " + side->front().label +
            " on its own side: " + differing(side->front().settings, run.settings).front() + ".");
      }
    }
  }
  for (const StoredRun* run : runs) {
    for (const std::string& warning : run->warnings) notes.push_back(run->label + " " + warning);
  }
}

std::vector<std::string> differing_settings(const StoredRun& baseline, const StoredRun& candidate) {
  if (baseline.settings.empty() || candidate.settings.empty()) return {};
  return differing(baseline.settings, candidate.settings);
}

std::string outside_step_sentence(double wall_theta, double step_theta) {
  return "the wall per step changed by " + signed_percent(std::expm1(wall_theta)) +
         " and the step by " + signed_percent(std::expm1(step_theta)) +
         ": the difference lies outside the step";
}

}  // namespace traceml
