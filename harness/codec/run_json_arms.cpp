#include "harness/codec/run_json_arms.h"

#include <algorithm>
#include <string>

#include "harness/codec/efficiency.h"
#include "harness/codec/hosts_file.h"
#include "harness/codec/json_text.h"
#include "harness/codec/shareable_text.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

Json phases_json(const StepFigures& figures) {
  Json phases = Json::object();
  for (const auto& [phase, figure] : figures.phases) {
    phases[std::string(name_of(phase))] = {{"cpu_ms", json_number(figure.cpu)},
                                           {"gpu_ms", json_number(figure.gpu)}};
  }
  return phases;
}

// What an arm and one of its ranks have in common.
void add_figures(Json* json, const StepFigures& figures) {
  Json& to = *json;
  to["step_cpu_ms"] = json_number(figures.step_cpu);
  to["step_gpu_ms"] = json_number(figures.step_gpu);
  to["compute_ms"] = json_number(figures.compute);
  to["residual_ms"] = json_number(figures.residual);
  to["residual_clamped_steps"] = figures.residual_clamped_steps;
  to["outside_ms"] = json_number(figures.outside);
  to["phases"] = phases_json(figures);
}

Json distribution_json(const std::optional<Distribution>& distribution) {
  if (!distribution) return nullptr;
  return {{"count", distribution->count},
          {"mean_ms", json_number(distribution->mean)},
          {"median_ms", json_number(distribution->median)},
          {"p5_ms", json_number(distribution->p5)},
          {"p95_ms", json_number(distribution->p95)},
          {"p99_ms", json_number(distribution->p99)},
          {"min_ms", json_number(distribution->min)},
          {"max_ms", json_number(distribution->max)}};
}

Json rhythm_json(const std::optional<WaitRhythm>& rhythm) {
  if (!rhythm) return nullptr;
  return {{"steps", rhythm->steps}, {"intervals", rhythm->intervals}, {"of", rhythm->of}};
}

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {json_number(interval->lower), json_number(interval->upper)};
}

Json long_waits_json(const ArmSummary& arm) {
  if (!arm.instrumented) return nullptr;
  return {{"over_ms", 5},
          {"count", arm.long_waits.count},
          {"total_ms", json_number(arm.long_waits.total)},
          {"longest_ms", json_number(arm.long_waits.longest)},
          {"rhythm", rhythm_json(arm.long_waits.rhythm)}};
}

Json all_reduce_json(const std::optional<AllReduceFigures>& figures) {
  if (!figures) return nullptr;
  Json buckets = Json::array();
  for (const BucketFigures& bucket : figures->buckets) {
    std::optional<double> algorithm, bus;
    if (bucket.bandwidth) {
      algorithm = bucket.bandwidth->algorithm_gb_per_s;
      bus = bucket.bandwidth->bus_gb_per_s;
    }
    buckets.push_back({{"bucket", bucket.bucket},
                       {"bytes", bucket.bytes},
                       {"steps", bucket.steps},
                       {"wire_ms", json_number(bucket.wire)},
                       {"skew_ms", json_number(bucket.skew)},
                       {"queue_ms", json_number(bucket.queue)},
                       {"exposed_ms", json_number(bucket.exposed)},
                       {"algbw_gb_per_s", json_number(algorithm)},
                       {"busbw_gb_per_s", json_number(bus)}});
  }
  return {{"clock", name_of(figures->clock)},
          {"exposed_ms", json_number(figures->exposed)},
          {"buckets", std::move(buckets)}};
}

Json bytes_json(const std::optional<std::int64_t>& bytes) {
  return bytes ? Json(*bytes) : Json(nullptr);
}

Json memory_of_arm(const ArmSummary& arm) {
  if (!arm.memory) return nullptr;
  return {{"allocated_peak_bytes", bytes_json(arm.memory->allocated_peak_bytes)},
          {"reserved_peak_bytes", bytes_json(arm.memory->reserved_peak_bytes)},
          {"grown_windows", arm.memory->grown_windows},
          {"growth_bytes", arm.memory->growth_bytes}};
}

Json range_json(const std::optional<Range>& range) {
  if (!range) return nullptr;
  return {{"min", json_number(range->min)},
          {"mean", json_number(range->mean)},
          {"max", json_number(range->max)}};
}

Json device_of_arm(const ArmSummary& arm) {
  if (!arm.device) return nullptr;
  const DeviceFigures& device = *arm.device;
  return {{"windows", device.windows},
          {"throttled_windows", device.throttled},
          {"power_capped_windows", device.power_capped},
          {"shared_windows", device.shared_windows},
          {"reasons", device.reasons},
          {"sm_clock_mhz", range_json(device.sm_clock_mhz)},
          {"memory_clock_mhz", range_json(device.memory_clock_mhz)},
          {"power_w", range_json(device.power_w)},
          {"temperature_c", range_json(device.temperature_c)}};
}

void add_efficiency(Json* json, const std::optional<Efficiency>& efficiency) {
  Json& to = *json;
  to["mfu"] = efficiency ? json_number(efficiency->mfu) : Json(nullptr);
  to["hfu"] = efficiency ? json_number(efficiency->hfu()) : Json(nullptr);
  to["flop"] = nullptr;
  if (!efficiency) return;
  to["flop"] = {{"per_image", json_number(efficiency->flop_per_image)},
                {"tflop_per_s", json_number(efficiency->tflop_per_s)},
                {"peak_tflop_per_s", json_number(efficiency->peak_tflop_per_s)},
                {"peak_source", efficiency->peak_source}};
}

Json arm_json(const ArmFacts& facts, const std::string& reference, const ArmSummary& arm) {
  Json json = {{"step_wall_ms", json_number(arm.wall_per_step)}};
  add_figures(&json, arm.global);
  json["images_per_s"] = json_number(arm.images_per_s);
  json["fraction_of_reference"] = json_number(arm.fraction_of_reference);
  json["fraction_interval"] = interval_json(arm.fraction_interval);
  json["reference"] = reference.empty() ? Json(nullptr) : Json(reference);
  json["fraction_of_common"] = arm.of_common ? json_number(arm.of_common->fraction) : Json(nullptr);
  json["fraction_of_common_interval"] =
      arm.of_common ? interval_json(arm.of_common->interval) : Json(nullptr);
  json["global_batch"] = facts.global_batch;
  json["clock"] = arm.clock ? Json(name_of(*arm.clock)) : Json(nullptr);
  json["clock_why"] = without_folders(arm.clock_why);
  Json coverage = Json::object();
  for (const RankFigures& rank : arm.ranks) {
    coverage[std::to_string(rank.rank.value)] = rank.coverage;
  }
  json["coverage"] = std::move(coverage);
  json["distribution"] = {{"step", distribution_json(arm.step_distribution)},
                          {"window", distribution_json(arm.window_distribution)}};
  json["long_waits"] = long_waits_json(arm);
  json["first_batch_ms"] = json_number(arm.first_batch);
  json["first_step_ms"] = json_number(arm.first_step);
  json["loss_first"] = json_number(arm.loss_first);
  json["loss_last"] = json_number(arm.loss_last);
  json["all_reduce"] = all_reduce_json(arm.all_reduce);
  json["hidden"] = arm.hidden;
  json["instrumented"] = arm.instrumented;
  json["windows"] = arm.windows;
  json["voided_windows"] = arm.voided_windows;
  json["outlier_windows"] = arm.outlier_windows;
  json["memory"] = memory_of_arm(arm);
  json["device"] = device_of_arm(arm);
  return json;
}

Json rank_arms_json(Rank rank, const CampaignSummary& summary) {
  Json arms = Json::object();
  for (const ArmSummary& arm : summary.arms) {
    for (const RankFigures& figures : arm.ranks) {
      if (figures.rank != rank) continue;
      Json json = {{"step_wall_ms", json_number(figures.wall_per_step)}};
      add_figures(&json, figures.figures);
      json["coverage"] = figures.coverage;
      json["last_at_all_reduce"] = figures.last_at_all_reduce;
      json["all_reduce_steps"] = figures.all_reduce_steps;
      arms[arm.name] = std::move(json);
    }
  }
  return arms;
}

}  // namespace

Json arms_json(const RunInfo& info, const Plan& plan, const CampaignSummary& summary) {
  const CampaignFacts& facts = plan.facts;
  Json arms = Json::object();
  for (const ArmSummary& arm : summary.arms) {
    const ArmFacts& of = facts.arms.at(static_cast<std::size_t>(arm.arm.value));
    const std::string reference =
        of.reference ? facts.arms.at(static_cast<std::size_t>(of.reference->value)).name : "";
    Json json = arm_json(of, reference, arm);
    add_efficiency(&json, efficiency_of(plan, info.environment, arm));
    arms[arm.name] = std::move(json);
  }
  return arms;
}

Json memory_json(const CampaignSummary& summary) {
  MemoryFigures largest;
  bool any = false;
  for (const ArmSummary& arm : summary.arms) {
    if (arm.hidden || !arm.memory) continue;
    any = true;
    largest.allocated_peak_bytes =
        std::max(largest.allocated_peak_bytes, arm.memory->allocated_peak_bytes);
    largest.reserved_peak_bytes =
        std::max(largest.reserved_peak_bytes, arm.memory->reserved_peak_bytes);
  }
  if (!any) return nullptr;
  return {{"allocated_peak_bytes", bytes_json(largest.allocated_peak_bytes)},
          {"reserved_peak_bytes", bytes_json(largest.reserved_peak_bytes)}};
}

Json mfu_json(const RunInfo& info, const Plan& plan, const CampaignSummary& summary) {
  std::optional<double> largest;
  for (const ArmSummary& arm : summary.arms) {
    if (arm.hidden) continue;
    const auto efficiency = efficiency_of(plan, info.environment, arm);
    if (efficiency) largest = std::max(largest, efficiency->mfu);
  }
  return json_number(largest);
}

Json ranks_json(const RunInfo& info, const CampaignSummary& summary) {
  Json ranks = Json::array();
  for (int value = 0; value < info.world_size; ++value) {
    const bool missing = std::find(summary.missing_ranks.begin(), summary.missing_ranks.end(),
                                   Rank{value}) != summary.missing_ranks.end();
    Json node = nullptr;
    const auto index = static_cast<std::size_t>(value);
    if (index < info.nodes.size()) node = node_alias(info.nodes[index]);
    ranks.push_back({{"rank", value},
                     {"node", std::move(node)},
                     {"reported", !missing},
                     {"arms", rank_arms_json(Rank{value}, summary)}});
  }
  return ranks;
}

}  // namespace traceml
