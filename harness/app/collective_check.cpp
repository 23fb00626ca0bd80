#include "harness/app/collective_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/analysis/all_reduce.h"
#include "harness/backends/nccl/nccl_backend.h"
#include "harness/backends/nccl/nccl_memory.h"
#include "harness/reports/figures.h"
#include "harness/reports/table.h"
#include "harness/runner/agreement.h"
#include "harness/runner/all_reduce_sweep.h"

namespace traceml {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;
constexpr int kColumns = 80;

std::string figure(const std::optional<Bandwidth>& bandwidth, double Bandwidth::*part) {
  return bandwidth ? fmt::format("{:.3g}", (*bandwidth).*part) : kNull;
}

Table table_of(const std::string& name, const std::vector<SweepRow>& rows, int ranks) {
  Table table;
  table.title = fmt::format("all-reduce over {}, {} ranks", name, ranks);
  table.caption = fmt::format(
      "float32 mean; time: from a barrier to completion, host clock, largest over ranks, median of "
      "{}. algbw: bytes / time; busbw: algbw * 2 (ranks - 1) / ranks, as nccl-tests.",
      kSweepRepetitions);
  table.columns = {{"bytes"}, {"time, us"}, {"algbw, GB/s"}, {"busbw, GB/s"}, {"wrong values"}};
  for (const SweepRow& row : rows) {
    const auto bandwidth = all_reduce_bandwidth(row.bytes, Seconds(row.time), ranks);
    table.rows.push_back({grouped(row.bytes), fixed(static_cast<double>(row.time.count()) / 1e3, 1),
                          figure(bandwidth, &Bandwidth::algorithm_gb_per_s),
                          figure(bandwidth, &Bandwidth::bus_gb_per_s), grouped(row.wrong)});
  }
  return table;
}

// Throws where a value was wrong, on rank 0.
void print(const std::string& name, const std::vector<SweepRow>& rows, int ranks) {
  fmt::print("{}", draw_table(table_of(name, rows, ranks), kColumns));
  std::fflush(stdout);
  const bool right =
      std::all_of(rows.begin(), rows.end(), [](const SweepRow& row) { return row.wrong == 0; });
  if (!right) throw RunError("the all-reduce over " + name + " gives wrong values");
}

void sweep(Ranks& ranks, HostClock& clock, Collective& collective, SweepMemory& memory,
           std::int64_t most) {
  Transport& transport = ranks.transport();
  const auto rows = sweep_all_reduce(transport, collective, clock, memory, sweep_sizes(kKiB, most));
  if (ranks.is_root()) print(collective.name(), rows, transport.world_size());
}

// The least over ranks, on all of them.
int least_of(Transport& transport, int own) {
  int least = own;
  for (const std::string& text : lines_of_all_ranks(transport, std::to_string(own))) {
    least = std::min(least, std::stoi(text));
  }
  return least;
}

void sweep_nccl(Ranks& ranks, HostClock& clock) {
  if (!nccl_built()) return;
  const int gpus = nccl_device_count();
  std::string why_not;
  if (least_of(ranks.transport(), gpus) == 0) {
    why_not = "not every rank sees a GPU";
  } else if (least_of(ranks.transport(), gpus - ranks.ranks_on_node()) < 0) {
    why_not = "there are more ranks on a node than GPUs, and no two ranks may share one";
  }
  if (!why_not.empty()) {
    if (ranks.is_root()) fmt::print("  NCCL {}: {}\n", nccl_version(), why_not);
    return;
  }
  const int device = ranks.rank_on_node().value;
  const auto collective = make_nccl_collective(ranks.transport(), clock, device);
  const auto memory = make_nccl_sweep_memory(device, 256 * kMiB);
  sweep(ranks, clock, *collective, *memory, 256 * kMiB);
}

}  // namespace

void check_collectives(Ranks& ranks, HostClock& clock) {
  if (ranks.transport().world_size() == 1) {
    fmt::print(
        "collectives\n  one rank exchanges nothing; start them with mpirun -n 2 --bind-to none "
        "traceml-bench doctor --collectives\n");
    return;
  }
  const auto memory = make_host_sweep_memory(64 * kMiB);
  sweep(ranks, clock, ranks.collective(), *memory, 64 * kMiB);
  sweep_nccl(ranks, clock);
}

}  // namespace traceml
