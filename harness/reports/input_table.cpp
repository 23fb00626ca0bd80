#include "harness/reports/input_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/reports/figures.h"
#include "harness/reports/text.h"

namespace traceml {
namespace {

// As many digits as the largest figure of its kind needs in this table.
struct Decimals {
  int sample = 0;
  int step = 0;
};

Decimals decimals_of(const std::vector<const ArmSummary*>& arms) {
  Millis sample{}, step{};
  for (const ArmSummary* arm : arms) {
    sample = std::max(sample, arm->input->mean.sample());
    step = std::max(step, arm->input->mean.step);
  }
  return {decimals_for(sample), decimals_for(step)};
}

std::string depth(const std::optional<double>& batches) {
  return batches ? fixed(*batches, 1) : kNull;
}

// "2.0 1.8 0.9 0.1"
std::string quarters(const InputFigures& figures) {
  if (!figures.queue_quarters.front()) return kNull;
  std::vector<std::string> parts;
  for (const auto& quarter : figures.queue_quarters) parts.push_back(depth(quarter));
  return joined(parts, " ");
}

std::string per_second(const std::optional<double>& rate) {
  return rate ? fixed(*rate, *rate < 100 ? 1 : 0) : kNull;
}

std::vector<std::string> row_of(const ArmSummary& arm, const Decimals& decimals) {
  const InputSummary& input = *arm.input;
  const InputFigures& mean = input.mean;
  std::optional<Millis> slot_wait;
  if (input.workers > 0) slot_wait = mean.slot_wait / input.workers;
  std::optional<Millis> engine_wait;
  if (input.workers > 0 && mean.engine_wait) engine_wait = *mean.engine_wait / input.workers;
  return {arm.name,
          std::to_string(input.workers),
          percent(mean.utilisation, 0),
          bare_ms(mean.read, decimals.sample),
          bare_ms(mean.decode, decimals.sample),
          bare_ms(mean.resize, decimals.sample),
          bare_ms(mean.cpu, decimals.sample),
          bare_ms(slot_wait, decimals.step),
          bare_ms(engine_wait, decimals.step),
          bare_ms(mean.worker_wait, decimals.step),
          bare_ms(mean.copy, decimals.step),
          bare_ms(mean.exposed_copy, decimals.step),
          bare_ms(mean.device_wait, decimals.step),
          depth(mean.queue_mean),
          depth(mean.queue_min),
          percent(mean.queue_empty, 0),
          quarters(mean),
          per_second(input.supply),
          per_second(input.demand)};
}

std::string slowest_sentence(const ArmSummary& arm) {
  constexpr std::size_t kNamed = 3;
  const InputSummary& input = *arm.input;
  std::vector<std::string> files;
  for (const SlowFile& file : input.slowest) {
    if (files.size() == kNamed) break;
    files.push_back(fmt::format("{} {}", file.file, ms(file.cost, decimals_for(file.cost))));
  }
  return fmt::format("{}: slowest files {}; the usual sample {}.", arm.name, joined(files, ", "),
                     ms(input.usual_sample, decimals_for(input.usual_sample)));
}

bool told_at_a_gate(const CampaignSummary& summary, ArmIndex arm) {
  return std::any_of(summary.gates.begin(), summary.gates.end(), [arm](const GateResult& gate) {
    return !gate.spec.left_out && gate.outcome == Outcome::kFail && gate.spec.candidate == arm;
  });
}

}  // namespace

std::string input_sentence(const ArmSummary& arm) {
  if (!arm.input) return "";
  const InputDiagnosis& diagnosis = arm.input->diagnosis;
  const std::string rank =
      diagnosis.rank ? fmt::format(" on rank {}", diagnosis.rank->value) : std::string();
  return fmt::format("input of {}{}: {}: {}", arm.name, rank, words_of(diagnosis.cause),
                     diagnosis.why);
}

std::optional<Table> input_table(const ReportInput& input) {
  std::vector<const ArmSummary*> arms;
  for (const ArmSummary& arm : input.summary.arms) {
    if (arm.input && !arm.hidden) arms.push_back(&arm);
  }
  if (arms.empty()) return std::nullopt;
  Table table;
  table.title = "Input pipeline";
  table.caption =
      "mean of ranks, ms. read, decode, resize (flip and normalisation included) and cpu "
      "(processor "
      "time): of a sample, on its worker. The others are of a step: slot wait, of a worker, held "
      "back for lack of a free batch; engine wait, of a worker, for the GPU's JPEG engines; batch "
      "wait, of "
      "the training thread, none being ready; copy, "
      "its own time; exposed, what the step waited for it; device wait, for the batch. busy: share "
      "of the workers' time in read, decode and resize. queue: batches ready when one is asked "
      "for; "
      "by quarter of the window. supply, demand: images/s and rank, of the workers, and of the "
      "step "
      "without input. Host clock; copy, exposed and device wait on the device's where it is "
      "complete.";
  table.columns = {{"arm", true, 0, true},
                   {"workers"},
                   {"busy"},
                   {"read"},
                   {"decode"},
                   {"resize"},
                   {"cpu", false, 6, false},
                   {"slot\nwait"},
                   {"engine\nwait"},
                   {"batch\nwait"},
                   {"copy", false, 3, false},
                   {"exposed", false, 1, false},
                   {"device\nwait", false, 2, false},
                   {"queue\nmean"},
                   {"queue\nmin", false, 8, false},
                   {"queue\nempty", false, 5, false},
                   {"queue,\nby quarter", false, 7, false},
                   {"supply", false, 4, false},
                   {"demand", false, 4, false}};
  const Decimals decimals = decimals_of(arms);
  for (const ArmSummary* arm : arms) table.rows.push_back(row_of(*arm, decimals));
  drop_empty_columns(&table);
  for (const ArmSummary* arm : arms) {
    if (told_at_a_gate(input.summary, arm->arm)) continue;
    std::string sentence = input_sentence(*arm);
    table.remarks.push_back(sentence.substr(std::string_view("input of ").size()) + ".");
  }
  for (const ArmSummary* arm : arms) table.remarks.push_back(slowest_sentence(*arm));
  return table;
}

}  // namespace traceml
