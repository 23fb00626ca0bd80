#include "harness/codec/run_json_input.h"

#include <string>

#include "harness/codec/json_text.h"
#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

Json figures_json(const InputFigures& figures) {
  Json quarters = Json::array();
  for (const auto& quarter : figures.queue_quarters) quarters.push_back(json_number(quarter));
  return {{"batches", figures.batches},
          {"read_ms", json_number(figures.read)},
          {"decode_ms", json_number(figures.decode)},
          {"resize_ms", json_number(figures.resize)},
          {"cpu_ms", json_number(figures.cpu)},
          {"slot_wait_ms", json_number(figures.slot_wait)},
          {"engine_wait_ms", json_number(figures.engine_wait)},
          {"batch_wait_ms", json_number(figures.worker_wait)},
          {"copy_ms", json_number(figures.copy)},
          {"exposed_copy_ms", json_number(figures.exposed_copy)},
          {"device_wait_ms", json_number(figures.device_wait)},
          {"step_ms", json_number(figures.step)},
          {"utilisation", json_number(figures.utilisation)},
          {"queue",
           {{"mean", json_number(figures.queue_mean)},
            {"min", json_number(figures.queue_min)},
            {"empty", json_number(figures.queue_empty)},
            {"by_quarter", std::move(quarters)},
            {"shrink", json_number(figures.queue_shrink)}}}};
}

Json ranks_json(const InputSummary& input) {
  Json ranks = Json::array();
  for (const RankInput& rank : input.ranks) {
    Json json = {{"rank", rank.rank.value}};
    json.update(figures_json(rank.figures));
    ranks.push_back(std::move(json));
  }
  return ranks;
}

Json slowest_json(const InputSummary& input) {
  Json files = Json::array();
  for (const SlowFile& file : input.slowest) {
    files.push_back({{"file", path_without_folders(file.file)},
                     {"cost_ms", json_number(file.cost)},
                     {"batches", file.batches},
                     {"times_usual", json_number(file.times_usual)}});
  }
  return files;
}

Json diagnosis_json(const InputDiagnosis& diagnosis) {
  Json rank = nullptr, workers = nullptr;
  if (diagnosis.rank) rank = diagnosis.rank->value;
  if (diagnosis.workers_needed) workers = *diagnosis.workers_needed;
  return {{"cause", name_of(diagnosis.cause)},
          {"rank", std::move(rank)},
          {"why", without_folders(diagnosis.why)},
          {"workers_needed", std::move(workers)}};
}

Json arm_json(const InputSummary& input) {
  return {{"workers", input.workers},
          {"batch", input.batch},
          {"mean", figures_json(input.mean)},
          {"ranks", ranks_json(input)},
          {"usual_sample_ms", json_number(input.usual_sample)},
          {"slowest_files", slowest_json(input)},
          {"supply_per_s", json_number(input.supply)},
          {"demand_per_s", json_number(input.demand)},
          {"demand_of", input.demand_of},
          {"diagnosis", diagnosis_json(input.diagnosis)}};
}

}  // namespace

Json input_json(const CampaignSummary& summary) {
  Json arms = Json::object();
  for (const ArmSummary& arm : summary.arms) {
    if (arm.input) arms[arm.name] = arm_json(*arm.input);
  }
  if (arms.empty()) return nullptr;
  return arms;
}

}  // namespace traceml
