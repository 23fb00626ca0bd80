#include <algorithm>

#include "harness/reports/clock_figures.h"
#include "harness/reports/html/page_data.h"

namespace traceml {
namespace {

std::optional<std::string_view> clock_of(const std::optional<Clock>& clock) {
  return clock ? std::optional(name_of(*clock)) : std::nullopt;
}

std::optional<std::string> reference_of(const ReportInput& input, const ArmSummary& arm) {
  const auto& arms = input.plan.facts.arms;
  const auto& reference = arms.at(static_cast<std::size_t>(arm.arm.value)).reference;
  if (!reference) return std::nullopt;
  return arms.at(static_cast<std::size_t>(reference->value)).name;
}

void write_phases(const StepFigures& figures, JsonWriter* json) {
  json->key("phases");
  json->begin_object();
  for (const auto& [phase, figure] : figures.phases) {
    json->key(name_of(phase));
    json->begin_object();
    json->member("cpu_ms", figure.cpu);
    json->member("gpu_ms", figure.gpu);
    json->end_object();
  }
  json->end_object();
}

void write_buckets(const ArmSummary& arm, JsonWriter* json) {
  if (!arm.all_reduce) return;
  json->key("exchange");
  json->begin_object();
  json->member("clock", name_of(arm.all_reduce->clock));
  json->key("buckets");
  json->begin_array();
  for (const BucketFigures& bucket : arm.all_reduce->buckets) {
    json->begin_object();
    json->member("bucket", bucket.bucket);
    json->member("bytes", bucket.bytes);
    json->member("steps", bucket.steps);
    json->member("queue_ms", bucket.queue);
    json->member("wire_ms", bucket.wire);
    json->member("skew_ms", bucket.skew);
    json->member("exposed_ms", bucket.exposed);
    json->end_object();
  }
  json->end_array();
  json->end_object();
}

// Where a sample's time goes on its worker, and what the step takes in.
void write_input(const InputSummary& input, JsonWriter* json) {
  const InputFigures& mean = input.mean;
  json->begin_object();
  json->member("workers", input.workers);
  json->member("read_ms", mean.read);
  json->member("decode_ms", mean.decode);
  json->member("resize_ms", mean.resize);
  json->member("slot_wait_ms", mean.slot_wait);
  json->member("worker_wait_ms", mean.worker_wait);
  json->member("utilisation", mean.utilisation);
  json->member("supply", input.supply);
  json->member("demand", input.demand);
  json->member("demand_of", input.demand_of);
  json->key("queue_quarters");
  json->begin_array();
  for (const std::optional<double>& depth : mean.queue_quarters) json->value(depth);
  json->end_array();
  json->end_object();
}

// One column for each figure, one entry a rank. More than kMostRanks are too many for a page: then
// the ranks that came last most often and those with the longest walls stay.
constexpr std::size_t kMostRanks = 2048;

std::vector<const RankFigures*> ranks_shown(const ArmSummary& arm) {
  std::vector<const RankFigures*> ranks;
  for (const RankFigures& rank : arm.ranks) ranks.push_back(&rank);
  if (ranks.size() <= kMostRanks) return ranks;
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankFigures* a, const RankFigures* b) {
    if (a->last_at_all_reduce != b->last_at_all_reduce) {
      return a->last_at_all_reduce > b->last_at_all_reduce;
    }
    return a->wall_per_step > b->wall_per_step;
  });
  ranks.resize(kMostRanks);
  std::sort(ranks.begin(), ranks.end(),
            [](const RankFigures* a, const RankFigures* b) { return a->rank < b->rank; });
  return ranks;
}

template <typename Figure>
void write_column(const char* name, const std::vector<const RankFigures*>& ranks, Figure figure,
                  JsonWriter* json) {
  json->key(name);
  json->begin_array();
  for (const RankFigures* rank : ranks) json->value(figure(*rank));
  json->end_array();
}

void write_ranks(const ReportInput& input, const ArmSummary& arm, JsonWriter* json) {
  const std::vector<const RankFigures*> ranks = ranks_shown(arm);
  const Clock clock = arm.clock.value_or(Clock::kCpu);
  json->key("ranks");
  json->begin_object();
  json->member("left_out", arm.ranks.size() - ranks.size());
  write_column(
      "rank", ranks, [](const RankFigures& rank) { return rank.rank.value; }, json);
  write_column(
      "node", ranks,
      [&](const RankFigures& rank) {
        const auto place = static_cast<std::size_t>(rank.rank.value);
        const auto& nodes = input.info.nodes;
        return place < nodes.size() ? std::optional(node_alias(nodes[place])) : std::nullopt;
      },
      json);
  write_column(
      "wall_ms", ranks, [](const RankFigures& rank) { return rank.wall_per_step; }, json);
  write_column(
      "step_ms", ranks, [&](const RankFigures& rank) { return step_on(rank.figures, clock); },
      json);
  json->key("phases");
  json->begin_object();
  for (const auto& [phase, figure] : arm.global.phases) {
    const auto of_rank = [clock, phase = phase](const RankFigures& rank) {
      return phase_on(rank.figures, phase, clock);
    };
    if (phase != Phase::kTraced) {
      write_column(std::string(name_of(phase)).c_str(), ranks, of_rank, json);
    }
  }
  json->end_object();
  write_column(
      "last", ranks, [](const RankFigures& rank) { return rank.last_at_all_reduce; }, json);
  write_column(
      "of", ranks, [](const RankFigures& rank) { return rank.all_reduce_steps; }, json);
  json->end_object();
}

void write_arm(const ReportInput& input, const ArmSummary& arm, JsonWriter* json) {
  json->begin_object();
  json->member("name", arm.name);
  json->member("hidden", arm.hidden);
  json->member("reference", reference_of(input, arm));
  json->member("clock", clock_of(arm.clock));
  json->member("clock_why", arm.clock_why);
  json->member("step_wall_ms", arm.wall_per_step);
  json->member("step_cpu_ms", arm.global.step_cpu);
  json->member("step_gpu_ms", arm.global.step_gpu);
  json->member("images_per_s", arm.images_per_s);
  json->member("fraction_of_reference", arm.fraction_of_reference);
  json->member("residual_ms", arm.global.residual);
  json->member("outside_ms", arm.global.outside);
  write_phases(arm.global, json);
  json->key("input");
  arm.input ? write_input(*arm.input, json) : json->null();
  write_buckets(arm, json);
  write_ranks(input, arm, json);
  json->end_object();
}

void write_command(const ReportInput& input, std::size_t arm, JsonWriter* json) {
  const CommandFigures& figures = input.summary.commands->arms[arm];
  json->begin_object();
  json->member("name", input.plan.facts.arms.at(arm).name);
  json->member("launches", figures.launches);
  json->member("mean", figures.mean);
  json->member("min", figures.min);
  json->member("max", figures.max);
  json->end_object();
}

}  // namespace

void write_arms(const ReportInput& input, JsonWriter* json) {
  json->key("arms");
  json->begin_array();
  for (const ArmSummary& arm : input.summary.arms) write_arm(input, arm, json);
  json->end_array();
  json->key("commands");
  if (!input.summary.commands) return json->null();
  json->begin_object();
  json->member("unit", input.plan.facts.commands->unit);
  json->key("arms");
  json->begin_array();
  for (std::size_t i = 0; i < input.summary.commands->arms.size(); ++i) {
    write_command(input, i, json);
  }
  json->end_array();
  json->end_object();
}

}  // namespace traceml
