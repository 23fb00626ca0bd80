#include "harness/analysis/input_summary.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "harness/analysis/input_diagnosis.h"
#include "harness/analysis/input_thresholds.h"

namespace traceml {

namespace {

constexpr std::size_t kMostSlowFiles = 5;

// Sums as milliseconds: nanoseconds of absurd records may exceed 64 bits.
Millis between(Nanos from, Nanos to) {
  return std::max(Millis(to) - Millis(from), Millis{});
}

Millis work_of(const InputRecord& record) {
  return Millis(record.read) + Millis(record.decode) + Millis(record.resize);
}

using Batches = std::vector<const InputRecord*>;

Millis median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return Millis(*middle);
}

// What a sample costs that is nothing special.
Millis usual_sample(const Batches& batches, std::int64_t batch) {
  std::vector<double> means;
  for (const InputRecord* record : batches) {
    const Millis work = work_of(*record);
    const Millis rest =
        batch > 1 ? (work - Millis(record->slowest)) / static_cast<double>(batch - 1) : work;
    means.push_back(std::max(rest, Millis{}).count());
  }
  return median(std::move(means));
}

template <typename Field>
std::optional<Millis> mean_of(const Batches& batches, Field field) {
  Millis sum{};
  for (const InputRecord* record : batches) {
    if (!(record->*field)) return std::nullopt;
    sum += Millis(*(record->*field));
  }
  return sum / static_cast<double>(batches.size());
}

class QueueTally {
 public:
  void add(double depth) {
    least_ = count_ == 0 ? depth : std::min(least_, depth);
    sum_ += depth;
    empty_ += depth == 0;
    ++count_;
  }
  std::optional<double> mean() const { return per_count(sum_); }
  std::optional<double> empty() const { return per_count(empty_); }
  std::optional<double> least() const { return count_ == 0 ? std::nullopt : std::optional(least_); }

 private:
  std::optional<double> per_count(double of) const {
    if (count_ == 0) return std::nullopt;
    return of / count_;
  }

  double sum_ = 0, least_ = 0, empty_ = 0;
  int count_ = 0;
};

void fill_queue(const CampaignFacts& facts, const Batches& batches, InputFigures& figures) {
  QueueTally all;
  std::array<QueueTally, 4> quarters;
  for (const InputRecord* record : batches) {
    if (!record->queue_depth) continue;
    const auto depth = static_cast<double>(*record->queue_depth);
    all.add(depth);
    const std::int64_t step = record->step.value - facts.settle_steps;
    const std::int64_t quarter = step * 4 / std::max<std::int64_t>(facts.steps_per_window, 1);
    quarters[static_cast<std::size_t>(std::clamp<std::int64_t>(quarter, 0, 3))].add(depth);
  }
  figures.queue_mean = all.mean();
  figures.queue_min = all.least();
  figures.queue_empty = all.empty();
  for (std::size_t i = 0; i < quarters.size(); ++i) {
    figures.queue_quarters[i] = quarters[i].mean();
  }
}

std::optional<double> shrink_of(const RankRecords& rank, ArmIndex arm,
                                const std::vector<WindowIndex>& valid) {
  std::optional<double> shrunk;
  for (const WindowRecord& window : rank.windows) {
    if (window.arm != arm || !window.queue_start || !window.queue_end ||
        !std::binary_search(valid.begin(), valid.end(), window.window)) {
      continue;
    }
    shrunk = shrunk.value_or(0) + static_cast<double>(*window.queue_start - *window.queue_end);
  }
  return shrunk;
}

void fill_step(const RankFigures& rank, InputFigures& figures) {
  figures.step = rank.wall_per_step.value_or(Millis{});
  const auto phase = [&](Phase which) {
    const auto found = rank.figures.phases.find(which);
    return found == rank.figures.phases.end() ? PhaseFigure{} : found->second;
  };
  const PhaseFigure copy = phase(Phase::kH2d);
  figures.exposed_copy = copy.gpu ? copy.gpu : copy.cpu;
  figures.device_wait = phase(Phase::kInputWait).gpu;
}

InputFigures figures_of(const CampaignFacts& facts, const ArmFacts& arm, std::int64_t batch,
                        const RankFigures& rank, const Batches& batches) {
  InputFigures figures;
  figures.batches = std::ssize(batches);
  const auto count = static_cast<double>(batches.size());
  const double samples = count * static_cast<double>(batch);
  for (const InputRecord* record : batches) {
    figures.read += Millis(record->read) / samples;
    figures.decode += Millis(record->decode) / samples;
    figures.resize += Millis(record->resize) / samples;
    figures.slot_wait += Millis(record->slot_wait) / count;
    figures.worker_wait += between(record->asked, record->taken) / count;
  }
  if (const auto cpu = mean_of(batches, &InputRecord::cpu)) {
    figures.cpu = *cpu / static_cast<double>(batch);
  }
  figures.copy = mean_of(batches, &InputRecord::copy);
  figures.engine_wait = mean_of(batches, &InputRecord::engine_wait);
  fill_step(rank, figures);
  if (*arm.workers > 0 && figures.step.count() > 0) {
    figures.utilisation =
        figures.sample() * static_cast<double>(batch) / (figures.step * *arm.workers);
  }
  fill_queue(facts, batches, figures);
  return figures;
}

// Each figure's mean over the ranks; null where a rank lacks it.
InputFigures mean_over(const std::vector<RankInput>& ranks) {
  InputFigures mean;
  const auto count = static_cast<double>(ranks.size());
  for (const RankInput& rank : ranks) mean.batches += rank.figures.batches;
  for (Millis InputFigures::*figure :
       {&InputFigures::read, &InputFigures::decode, &InputFigures::resize, &InputFigures::slot_wait,
        &InputFigures::worker_wait, &InputFigures::step}) {
    for (const RankInput& rank : ranks) mean.*figure += rank.figures.*figure / count;
  }
  const auto add = [&](auto of) {
    auto sum = of(ranks.front().figures);
    for (std::size_t i = 1; i < ranks.size() && sum; ++i) {
      const auto& value = of(ranks[i].figures);
      if (value) {
        *sum += *value;
      } else {
        sum = std::nullopt;
      }
    }
    if (sum) *sum /= count;
    return sum;
  };
  for (std::optional<Millis> InputFigures::*figure :
       {&InputFigures::cpu, &InputFigures::copy, &InputFigures::exposed_copy,
        &InputFigures::device_wait, &InputFigures::engine_wait}) {
    mean.*figure = add([figure](const InputFigures& of) { return of.*figure; });
  }
  for (std::optional<double> InputFigures::*figure :
       {&InputFigures::utilisation, &InputFigures::queue_mean, &InputFigures::queue_min,
        &InputFigures::queue_empty, &InputFigures::queue_shrink}) {
    mean.*figure = add([figure](const InputFigures& of) { return of.*figure; });
  }
  for (std::size_t i = 0; i < mean.queue_quarters.size(); ++i) {
    mean.queue_quarters[i] = add([i](const InputFigures& of) { return of.queue_quarters[i]; });
  }
  return mean;
}

std::vector<SlowFile> slowest_of(const Batches& batches, Millis usual) {
  std::map<std::string, SlowFile> files;
  for (const InputRecord* record : batches) {
    SlowFile& file = files[record->slowest_file];
    file.file = record->slowest_file;
    file.cost += Millis(record->slowest);
    ++file.batches;
  }
  std::vector<SlowFile> slowest;
  for (auto& [name, file] : files) {
    file.cost /= static_cast<double>(file.batches);
    file.times_usual = usual.count() > 0 ? file.cost / usual : 0;
    slowest.push_back(std::move(file));
  }
  std::stable_sort(slowest.begin(), slowest.end(),
                   [](const SlowFile& a, const SlowFile& b) { return a.cost > b.cost; });
  if (slowest.size() > kMostSlowFiles) slowest.resize(kMostSlowFiles);
  return slowest;
}

void fill_waits(const Batches& batches, Millis usual, InputEvidence& evidence) {
  Millis waited{}, for_slow{}, with_ready{}, work{};
  for (const InputRecord* record : batches) {
    const Millis wait = between(record->asked, record->taken);
    const Millis slowest(record->slowest);
    const bool is_slow = usual.count() > 0 && slowest >= kInputThresholds.slow_sample * usual;
    waited += wait;
    if (is_slow) for_slow += wait;
    if (record->queue_depth.value_or(0) > 0) with_ready += wait;
    work += work_of(*record) - (is_slow ? slowest - usual : Millis{});
  }
  evidence.work_without_slow = work / static_cast<double>(batches.size());
  evidence.slow_wait = waited.count() > 0 ? for_slow / waited : 0;
  evidence.ready_wait = waited.count() > 0 ? with_ready / waited : 0;
}

const RankInput& worst_of(const std::vector<RankInput>& ranks) {
  return *std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) {
    return a.figures.waited() + a.figures.copied() < b.figures.waited() + b.figures.copied();
  });
}

// Of one rank's step; null where it is no time.
std::optional<Millis> demand_of(const InputFigures& figures, const ArmSummary* reference) {
  const Millis own = figures.step - figures.waited() - figures.copied();
  const Millis demand =
      reference != nullptr && reference->wall_per_step ? *reference->wall_per_step : own;
  return demand.count() > 0 ? std::optional(demand) : std::nullopt;
}

std::optional<double> per_second(std::int64_t samples, Millis time) {
  if (time.count() <= 0) return std::nullopt;
  return static_cast<double>(samples) / Seconds(time).count();
}

}  // namespace

std::optional<InputSummary> input_summary_of(const CampaignFacts& facts, const ArmSummary& own,
                                             const ArmSummary* reference,
                                             const std::vector<const RankRecords*>& ranks,
                                             const std::vector<WindowIndex>& valid) {
  const ArmFacts& arm = facts.arms[static_cast<std::size_t>(own.arm.value)];
  if (!arm.workers || facts.world_size <= 0) return std::nullopt;
  InputSummary summary;
  summary.workers = *arm.workers;
  summary.batch = std::max<std::int64_t>(arm.global_batch / facts.world_size, 1);
  Batches all;
  std::map<Rank, Batches> batches_of;
  for (const RankFigures& rank : own.ranks) {
    const RankRecords* records = ranks[static_cast<std::size_t>(rank.rank.value)];
    if (records == nullptr || !rank.wall_per_step) continue;
    Batches& batches = batches_of[rank.rank];
    for (const InputRecord& record : records->inputs) {
      const bool timed = record.window && record.step.value >= facts.settle_steps;
      if (record.arm != own.arm || !timed ||
          !std::binary_search(valid.begin(), valid.end(), *record.window)) {
        continue;
      }
      batches.push_back(&record);
    }
    if (batches.empty()) continue;
    all.insert(all.end(), batches.begin(), batches.end());
    InputFigures figures = figures_of(facts, arm, summary.batch, rank, batches);
    figures.queue_shrink = shrink_of(*records, own.arm, valid);
    summary.ranks.push_back({rank.rank, std::move(figures)});
  }
  if (all.empty()) return std::nullopt;
  summary.mean = mean_over(summary.ranks);
  summary.usual_sample = usual_sample(all, summary.batch);
  summary.slowest = slowest_of(all, summary.usual_sample);
  const bool matched = reference != nullptr && reference->wall_per_step;
  summary.demand_of = matched ? reference->name : "own step";
  const Millis work = summary.mean.sample() * static_cast<double>(summary.batch);
  if (summary.workers > 0) summary.supply = per_second(summary.batch * summary.workers, work);
  if (const auto demand = demand_of(summary.mean, reference)) {
    summary.demand = per_second(summary.batch, *demand);
  }

  const RankInput& worst = worst_of(summary.ranks);
  InputEvidence evidence;
  evidence.figures = worst.figures;
  evidence.workers = summary.workers;
  evidence.batch = summary.batch;
  evidence.queue_capacity = arm.queue_capacity;
  evidence.steps_per_window = facts.steps_per_window;
  evidence.demand = demand_of(worst.figures, reference);
  evidence.demand_of = summary.demand_of;
  evidence.usual_sample = summary.usual_sample;
  evidence.slowest = summary.slowest.front();
  evidence.cores = facts.cores_per_rank;
  fill_waits(batches_of[worst.rank], summary.usual_sample, evidence);
  summary.diagnosis = diagnose_input(evidence);
  if (facts.world_size > 1) summary.diagnosis.rank = worst.rank;
  return summary;
}

}  // namespace traceml
