#include <fmt/format.h>

#include "harness/reports/arm_tables.h"
#include "harness/reports/figures.h"

namespace traceml {
namespace {

// "1.00 MiB", "40 B".
std::string size_of(std::int64_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (bytes < 1024 * 1024) return fixed(size / 1024, 1) + " KiB";
  return fixed(size / (1024 * 1024), 2) + " MiB";
}

// Three digits: "248", "36.9", "1.60", "0.0287".
std::string bandwidth(const BucketFigures& bucket, double Bandwidth::*figure) {
  if (!bucket.bandwidth) return kNull;
  const double gb_per_s = (*bucket.bandwidth).*figure;
  if (gb_per_s < 1) return fmt::format("{:#.3g}", gb_per_s);
  return fmt::format("{:.{}f}", gb_per_s, gb_per_s < 10 ? 2 : gb_per_s < 100 ? 1 : 0);
}

std::vector<std::string> bucket_row(const ArmSummary& arm, const BucketFigures& bucket) {
  constexpr int kDecimals = 3;  // events tell about a microsecond
  return {arm.name,
          std::to_string(bucket.bucket),
          size_of(bucket.bytes),
          bare_ms(bucket.wire, kDecimals),
          bare_ms(bucket.skew, kDecimals),
          bare_ms(bucket.queue, kDecimals),
          bare_ms(bucket.exposed, kDecimals),
          bandwidth(bucket, &Bandwidth::algorithm_gb_per_s),
          bandwidth(bucket, &Bandwidth::bus_gb_per_s),
          grouped(bucket.steps)};
}

const char* words_of(const std::vector<const ArmSummary*>& arms) {
  const Clock first = arms.front()->all_reduce->clock;
  for (const ArmSummary* arm : arms) {
    if (arm->all_reduce->clock != first) return "each arm's clock";
  }
  return first == Clock::kGpu ? "device clock" : "host clock";
}

}  // namespace

std::optional<Table> all_reduce_table(const CampaignSummary& summary) {
  std::vector<const ArmSummary*> arms;
  for (const ArmSummary& arm : summary.arms) {
    if (arm.all_reduce) arms.push_back(&arm);
  }
  if (arms.empty()) return std::nullopt;
  Table table;
  table.title = "All-reduce";
  table.caption = fmt::format(
      "ms, mean of steps, {}. wire: from start to end, least over ranks. skew: what the rank that "
      "was in it for longest had beyond that, waiting for the last one. queued: from arrival to "
      "start, mean of ranks. exposed: behind the arrival of the step's last bucket, mean of ranks. "
      "algbw: size / wire; busbw: algbw * 2 (ranks - 1) / ranks, as nccl-tests; GB/s.",
      words_of(arms));
  table.columns = {{"arm", true, 0, true},
                   {"bucket"},
                   {"size"},
                   {"wire"},
                   {"skew", false, 1, false},
                   {"queued", false, 3, false},
                   {"exposed"},
                   {"algbw", false, 2, false},
                   {"busbw"},
                   {"steps", false, 4, false}};
  for (const ArmSummary* arm : arms) {
    for (const BucketFigures& bucket : arm->all_reduce->buckets) {
      table.rows.push_back(bucket_row(*arm, bucket));
    }
    if (arm->all_reduce->exposed) {
      table.remarks.push_back(fmt::format("{}: {} of a step's exchange is exposed.", arm->name,
                                          ms(arm->all_reduce->exposed, 3)));
    }
  }
  return table;
}

}  // namespace traceml
