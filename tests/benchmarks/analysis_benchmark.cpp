// What the tables and verdicts of a finished run cost, and reading its raw files: both grow with
// ranks x steps. Each rank has 1,000 recorded steps in two arms, and an all-reduce on each.

#include <benchmark/benchmark.h>

#include <fstream>
#include <string>
#include <vector>

#include "harness/analysis/campaign.h"
#include "harness/codec/raw_files.h"
#include "tests/analysis/synthetic_campaign.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;
const std::vector<std::string> kArms = {"shipped", "reference"};

synthetic::Campaign campaign_of(int ranks) {
  synthetic::Campaign campaign;
  campaign.arms[0].reference = 1;
  campaign.arms[1].name = kArms[1];
  campaign.arms[1].input_free = true;
  campaign.gates = {synthetic::gate(GateKind::kMinFraction, 0, 1, .05)};
  campaign.world_size = ranks;
  campaign.blocks = 10;
  campaign.max_blocks = 10;
  campaign.steps = 48;
  campaign.settle_steps = 2;
  campaign.noise = .005;
  campaign.with_steps = true;
  campaign.late_ms = std::vector<double>(static_cast<std::size_t>(ranks), 0.0);
  return campaign;
}

// The process's largest resident set since it was made, in MiB. Linux: 5 in clear_refs resets the
// mark.
class PeakMemory {
 public:
  PeakMemory() { std::ofstream("/proc/self/clear_refs") << 5; }

  double mib() const {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
    }
    return 0;
  }
};

double mib_of(const std::vector<RankRecords>& ranks) {
  std::size_t bytes = 0;
  for (const RankRecords& rank : ranks) {
    bytes += rank.windows.capacity() * sizeof(WindowRecord) +
             rank.steps.capacity() * sizeof(StepRecord) +
             rank.collectives.capacity() * sizeof(CollectiveRecord);
  }
  return static_cast<double>(bytes) / kMiB;
}

void count(benchmark::State& state, std::int64_t steps) {
  state.SetItemsProcessed(state.iterations() * steps);  // an item is one step of one rank
}

std::int64_t steps_in(const std::vector<RankRecords>& ranks) {
  std::int64_t steps = 0;
  for (const RankRecords& rank : ranks) steps += static_cast<std::int64_t>(rank.steps.size());
  return steps;
}

void BM_SummarizeCampaign(benchmark::State& state) {
  const synthetic::Campaign campaign = campaign_of(static_cast<int>(state.range(0)));
  const CampaignFacts facts = synthetic::facts_of(campaign);
  const std::vector<RankRecords> ranks = synthetic::records_of(campaign);
  const PeakMemory peak;
  for (auto _ : state) benchmark::DoNotOptimize(summarize_campaign(facts, ranks));
  state.counters["records_MiB"] = mib_of(ranks);
  state.counters["peak_MiB"] = peak.mib();
  count(state, steps_in(ranks));
}

// The records of one rank under the numbers of all.
void write_raw_files(const RankRecords& first, int ranks, const std::string& folder) {
  for (int rank = 0; rank < ranks; ++rank) {
    RawWriter(folder, RunId{}, Rank{rank}, kArms)
        .append(first.windows, first.steps, first.collectives);
  }
}

// All ranks' files, kept in memory as a report keeps them.
void BM_ReadRawFiles(benchmark::State& state) {
  const int world_size = static_cast<int>(state.range(0));
  const RankRecords first = synthetic::records_of(campaign_of(1)).front();
  const std::int64_t steps = world_size * static_cast<std::int64_t>(first.steps.size());
  const testing::TemporaryFolder folder;
  write_raw_files(first, world_size, folder.path());
  const PeakMemory peak;
  double records_mib = 0;
  for (auto _ : state) {
    std::vector<std::string> warnings;
    std::vector<RankRecords> ranks;
    for (const Rank rank : ranks_in(folder.path())) {
      ranks.push_back(read_rank_records({folder.path(), RunId{}, kArms}, rank, &warnings));
    }
    if (!warnings.empty() || steps_in(ranks) != steps) state.SkipWithError("not all was read");
    records_mib = mib_of(ranks);
  }
  state.counters["records_MiB"] = records_mib;
  state.counters["peak_MiB"] = peak.mib();
  count(state, steps);
}

// Ascending sizes: what a benchmark frees may stay in the process and count to the next one's peak.
BENCHMARK(BM_SummarizeCampaign)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadRawFiles)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SummarizeCampaign)->Arg(128)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadRawFiles)->Arg(128)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SummarizeCampaign)->Arg(1024)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ReadRawFiles)->Arg(1024)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace traceml
