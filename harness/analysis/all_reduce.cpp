#include "harness/analysis/all_reduce.h"

#include <algorithm>
#include <map>
#include <string>

#include "harness/analysis/bucket_records.h"

namespace traceml {

namespace {

bool has_times(const CollectiveRecord& record) {
  return record.arrival && record.start && record.end && *record.arrival <= *record.start &&
         *record.start <= *record.end;
}

// Null times count: they take the step's from the exposed ones.
bool any_record(const CollectiveRecord& /*record*/) {
  return true;
}

// One bucket on one step, over the ranks seen so far.
struct Cell {
  BucketKey key;
  std::int64_t bytes = 0;
  int ranks = 0;  // that have times
  std::int64_t least = 0;
  std::int64_t most = 0;
  double queue = 0;       // sum over ranks
  int exposed_ranks = 0;  // that have times of all buckets of the step
  double exposed = 0;     // sum over those
};

// When the last bucket of the step [begin, end) arrived; null where a bucket lacks times.
std::optional<Nanos> last_arrival(const std::vector<BucketRecord>& seen, std::size_t begin,
                                  std::size_t end) {
  Nanos last = Nanos::min();
  for (std::size_t i = begin; i < end; ++i) {
    if (!has_times(*seen[i].record)) return std::nullopt;
    last = std::max(last, *seen[i].record->arrival);
  }
  return last;
}

void add(const BucketRecord& seen, std::optional<Nanos> backward_end, Cell* cell) {
  if (!has_times(*seen.record)) return;
  const CollectiveRecord& record = *seen.record;
  const std::int64_t ran = (*record.end - *record.start).count();
  cell->least = cell->ranks == 0 ? ran : std::min(cell->least, ran);
  cell->most = std::max(cell->most, ran);
  cell->queue += static_cast<double>((*record.start - *record.arrival).count());
  ++cell->ranks;
  if (!backward_end) return;
  const Nanos from = std::max(*record.start, *backward_end);
  cell->exposed += static_cast<double>(std::max(Nanos{0}, *record.end - from).count());
  ++cell->exposed_ranks;
}

// Both in the order of keys.
void add_rank(const std::vector<BucketRecord>& seen, std::vector<Cell>* cells) {
  auto cell = cells->begin();
  std::size_t begin = 0;
  while (begin < seen.size()) {
    std::size_t end = begin;
    while (end < seen.size() && same_step(seen[end].key, seen[begin].key)) ++end;
    const auto backward_end = last_arrival(seen, begin, end);
    for (; begin < end; ++begin) {
      while (cell != cells->end() && cell->key < seen[begin].key) ++cell;
      if (cell == cells->end()) return;
      if (cell->key == seen[begin].key) add(seen[begin], backward_end, &*cell);
    }
  }
}

// Sums over steps.
struct Sums {
  std::int64_t bytes = 0;
  std::int64_t steps = 0;
  double wire = 0, skew = 0, queue = 0;
  std::int64_t exposed_steps = 0;
  double exposed = 0;
};

std::optional<Millis> mean(double nanos, std::int64_t count) {
  if (count == 0) return std::nullopt;
  return Millis(nanos / static_cast<double>(count) / 1e6);
}

BucketFigures figures_of(int bucket, const Sums& sums, int ranks) {
  BucketFigures figures;
  figures.bucket = bucket;
  figures.bytes = sums.bytes;
  figures.steps = sums.steps;
  figures.wire = mean(sums.wire, sums.steps);
  figures.skew = mean(sums.skew, sums.steps);
  figures.queue = mean(sums.queue, sums.steps);
  figures.exposed = mean(sums.exposed, sums.exposed_steps);
  if (figures.wire) figures.bandwidth = all_reduce_bandwidth(sums.bytes, *figures.wire, ranks);
  return figures;
}

// Null where they differ.
std::optional<Clock> clock_of(const std::vector<std::vector<BucketRecord>>& ranks) {
  const std::string& first = ranks.front().front().record->clock;
  for (const auto& rank : ranks) {
    for (const BucketRecord& seen : rank) {
      if (seen.record->clock != first) return std::nullopt;
    }
  }
  return first == "device" ? Clock::kGpu : Clock::kCpu;
}

std::map<int, Sums> sums_by_bucket(const std::vector<Cell>& cells, int world_size) {
  std::map<int, Sums> buckets;
  const double ranks = world_size;
  for (const Cell& cell : cells) {
    Sums& sums = buckets[cell.key.bucket];
    if (sums.bytes == 0) sums.bytes = cell.bytes;
    if (cell.ranks != world_size) continue;
    ++sums.steps;
    sums.wire += static_cast<double>(cell.least);
    sums.skew += static_cast<double>(cell.most - cell.least);
    sums.queue += cell.queue / ranks;
    if (cell.exposed_ranks != world_size) continue;
    ++sums.exposed_steps;
    sums.exposed += cell.exposed / ranks;
  }
  return buckets;
}

}  // namespace

std::optional<Bandwidth> all_reduce_bandwidth(std::int64_t bytes, Seconds time, int ranks) {
  if (!(time.count() > 0) || ranks < 1) return std::nullopt;
  const double algorithm = static_cast<double>(bytes) / time.count() / 1e9;
  return Bandwidth{algorithm, algorithm * 2 * (ranks - 1) / ranks};
}

std::optional<AllReduceFigures> all_reduce_figures(const CampaignFacts& facts, ArmIndex arm,
                                                   const std::vector<const RankRecords*>& ranks,
                                                   const std::vector<WindowIndex>& valid) {
  std::vector<std::vector<BucketRecord>> seen;
  for (const RankRecords* records : ranks) {
    if (records == nullptr) return std::nullopt;
    seen.push_back(bucket_records(facts, arm, *records, valid, any_record));
    if (seen.back().empty()) return std::nullopt;
  }
  if (seen.empty()) return std::nullopt;
  const auto clock = clock_of(seen);
  if (!clock) return std::nullopt;
  std::vector<Cell> cells;
  for (const BucketRecord& one : seen.front()) {
    cells.emplace_back();
    cells.back().key = one.key;
    cells.back().bytes = one.record->bytes;
  }
  for (const auto& rank : seen) add_rank(rank, &cells);

  AllReduceFigures figures;
  figures.clock = *clock;
  Millis exposed{};
  bool all_exposed = true;
  const int world_size = static_cast<int>(ranks.size());
  for (const auto& [bucket, sums] : sums_by_bucket(cells, world_size)) {
    figures.buckets.push_back(figures_of(bucket, sums, world_size));
    const auto& of_bucket = figures.buckets.back().exposed;
    all_exposed = all_exposed && of_bucket.has_value();
    exposed += of_bucket.value_or(Millis{});
  }
  if (all_exposed) figures.exposed = exposed;
  return figures;
}

}  // namespace traceml
