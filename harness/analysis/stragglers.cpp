#include "harness/analysis/stragglers.h"

#include <algorithm>
#include <iterator>

#include "harness/analysis/bucket_records.h"
#include "harness/analysis/quantiles.h"
#include "harness/analysis/saturating.h"

namespace traceml {

namespace {

constexpr double kChance = 0.001;
constexpr double kMatters = 0.01;  // of the step

struct Wait {
  BucketKey key;
  std::int64_t nanos = 0;
};

bool has_a_wait(const CollectiveRecord& record) {
  return record.arrival && record.end && *record.end >= *record.arrival;
}

std::vector<Wait> waits_of(const CampaignFacts& facts, ArmIndex arm, const RankRecords& records,
                           const std::vector<WindowIndex>& valid) {
  std::vector<Wait> waits;
  for (const auto& [key, record] : bucket_records(facts, arm, records, valid, has_a_wait)) {
    waits.push_back({key, (*record->end - *record->arrival).count()});
  }
  return waits;
}

std::vector<BucketKey> common_keys(const std::vector<std::vector<Wait>>& ranks) {
  std::vector<BucketKey> common;
  for (const std::vector<Wait>& waits : ranks) {
    std::vector<BucketKey> keys, both;
    for (const Wait& wait : waits) keys.push_back(wait.key);
    if (&waits == &ranks.front()) {
      common = std::move(keys);
    } else if (keys != common) {
      std::set_intersection(common.begin(), common.end(), keys.begin(), keys.end(),
                            std::back_inserter(both));
      common = std::move(both);
    }
  }
  return common;
}

// Of one bucket on one step, over the ranks seen so far.
struct BucketWaits {
  std::int64_t least = 0;
  std::int64_t total = 0;
  int last = -1;
  bool tie = false;

  void add(std::int64_t wait, int rank) {
    add_saturating(total, wait);
    if (last < 0 || wait < least) {
      least = wait;
      last = rank;
      tie = false;
    } else if (wait == least) {
      tie = true;
    }
  }

  // What the other ranks waited longer than the last one, mean over them.
  double lateness_ms(int ranks) const {
    const double others = static_cast<double>(total - least) / (ranks - 1);
    return (others - static_cast<double>(least)) / 1e6;
  }
};

// The waits of all ranks, by common key.
std::vector<BucketWaits> waits_by_bucket(const std::vector<std::vector<Wait>>& ranks,
                                         const std::vector<BucketKey>& keys) {
  std::vector<BucketWaits> buckets(keys.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::size_t next = 0;
    for (const Wait& wait : ranks[rank]) {
      if (next == keys.size() || wait.key != keys[next]) continue;
      buckets[next++].add(wait.nanos, static_cast<int>(rank));
    }
  }
  return buckets;
}

bool recurs(const AllReduceTally& tally, int rank) {
  int windows = 0, often = 0;
  std::size_t begin = 0;
  while (begin < tally.windows.size()) {
    std::size_t end = begin;
    std::int64_t last = 0;
    for (; end < tally.windows.size() && tally.windows[end] == tally.windows[begin]; ++end) {
      last += tally.last[end] == rank;
    }
    ++windows;
    often += last * tally.world_size > static_cast<std::int64_t>(end - begin);
    begin = end;
  }
  return 2 * often >= windows;
}

}  // namespace

AllReduceTally tally_all_reduces(const CampaignFacts& facts, ArmIndex arm,
                                 const std::vector<const RankRecords*>& ranks,
                                 const std::vector<WindowIndex>& valid) {
  AllReduceTally tally;
  tally.world_size = static_cast<int>(ranks.size());
  if (ranks.size() < 2) return tally;
  std::vector<std::vector<Wait>> waits;
  for (const RankRecords* records : ranks) {
    if (records == nullptr) return tally;
    waits.push_back(waits_of(facts, arm, *records, valid));
    if (waits.back().empty()) return tally;
  }
  const std::vector<BucketKey> keys = common_keys(waits);
  const std::vector<BucketWaits> buckets = waits_by_bucket(waits, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool goes_on = i > 0 && same_step(keys[i], keys[i - 1]);
    const double late_ms = buckets[i].lateness_ms(tally.world_size);
    if (!goes_on) {
      tally.windows.push_back(keys[i].window);
      tally.last.push_back(-1);
      tally.caused_ms.push_back(-1);
    }
    if (late_ms <= tally.caused_ms.back()) continue;
    tally.caused_ms.back() = late_ms;
    tally.last.back() = buckets[i].tie ? -1 : buckets[i].last;
  }
  return tally;
}

std::int64_t last_steps_of(const AllReduceTally& tally, Rank rank) {
  return std::count(tally.last.begin(), tally.last.end(), rank.value);
}

std::vector<Straggler> name_stragglers(const AllReduceTally& tally, const std::string& arm,
                                       std::optional<Millis> step) {
  std::vector<Straggler> named;
  const auto steps = static_cast<std::int64_t>(tally.last.size());
  if (steps == 0 || !step) return named;
  std::vector<std::int64_t> last(static_cast<std::size_t>(tally.world_size), 0);
  std::vector<double> caused(last.size(), 0);
  for (std::size_t i = 0; i < tally.last.size(); ++i) {
    if (tally.last[i] < 0) continue;
    ++last[static_cast<std::size_t>(tally.last[i])];
    caused[static_cast<std::size_t>(tally.last[i])] += tally.caused_ms[i];
  }
  for (std::size_t rank = 0; rank < last.size(); ++rank) {
    const double chance = binomial_upper_tail(steps, last[rank], 1.0 / tally.world_size);
    const bool matters = caused[rank] / static_cast<double>(steps) >= kMatters * step->count();
    if (chance >= kChance / tally.world_size || !matters) continue;
    const int number = static_cast<int>(rank);
    named.push_back({{number}, arm, last[rank], steps, recurs(tally, number)});
  }
  return named;
}

}  // namespace traceml
