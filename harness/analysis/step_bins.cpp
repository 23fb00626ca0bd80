#include "harness/analysis/step_bins.h"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "harness/analysis/downsample.h"
#include "harness/analysis/summary.h"

namespace traceml {

namespace {

using Times = std::vector<std::optional<double>>;

std::optional<double> in_ms(const std::optional<std::int64_t>& nanos) {
  return nanos ? std::optional(static_cast<double>(*nanos) / 1e6) : std::nullopt;
}

// The timed steps of an arm's windows, end to end; of each place one value a rank, side by side.
class Places {
 public:
  Places(const std::vector<ArmWindow>& windows, std::int64_t settle_steps)
      : windows_(windows), settle_steps_(settle_steps) {
    for (const ArmWindow& window : windows) {
      begins_.push_back(size_);
      lengths_.push_back(static_cast<std::size_t>(std::max<std::int64_t>(window.steps, 0)));
      size_ += lengths_.back();
    }
  }

  std::size_t size() const { return size_; }
  std::span<const std::size_t> lengths() const { return lengths_; }

  // Null for a step that no window holds.
  std::optional<std::size_t> place_of(const StepKey& key) const {
    const auto found = std::lower_bound(
        windows_.begin(), windows_.end(), key.window,
        [](const ArmWindow& window, WindowIndex wanted) { return window.window < wanted; });
    if (found == windows_.end() || found->window != key.window) return std::nullopt;
    const std::int64_t step = key.step.value - settle_steps_;
    if (step < 0 || step >= found->steps) return std::nullopt;
    return begins_[static_cast<std::size_t>(found - windows_.begin())] +
           static_cast<std::size_t>(step);
  }

  // Place in StepsOverTime::windows, and timed step in that window.
  std::pair<std::size_t, std::int64_t> step_at(std::size_t place) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), place);
    const auto window = static_cast<std::size_t>(next - begins_.begin()) - 1;
    return {windows_[window].place, static_cast<std::int64_t>(place - begins_[window])};
  }

 private:
  const std::vector<ArmWindow>& windows_;
  std::int64_t settle_steps_;
  std::vector<std::size_t> begins_, lengths_;
  std::size_t size_ = 0;
};

template <typename TimeOf>
Times times_of(const AlignedRows& rows, const Places& places, TimeOf time_of) {
  Times times(places.size() * rows.ranks.size());
  for (std::size_t i = 0; i < rows.steps.size(); ++i) {
    const std::optional<std::size_t> place = places.place_of(rows.steps[i]);
    if (!place) continue;
    for (std::size_t rank = 0; rank < rows.ranks.size(); ++rank) {
      times[*place * rows.ranks.size() + rank] = time_of(*rows.ranks[rank].rows[i]);
    }
  }
  return times;
}

std::vector<double> measured(const Times& times) {
  std::vector<double> values;
  values.reserve(times.size());
  for (const auto& time : times) {
    if (time) values.push_back(*time);
  }
  return values;
}

class Binning {
 public:
  Binning(const AlignedRows& rows, const Places& places) : rows_(rows), places_(places) {}

  // Adds what stands out in the bin of `times`; the range of all its values.
  std::optional<Range> add(const Times& times, BinSpan span, const std::optional<Fences>& fences,
                           MarkedSteps* marked) const {
    const std::size_t ranks = rows_.ranks.size();
    const auto values = std::span(times).subspan(span.begin * ranks, span.size() * ranks);
    const Bin bin = bin_of(values, fences, kMostMarkedOfABin);
    for (const std::size_t i : bin.standing_out) {
      const auto [window, step] = places_.step_at(span.begin + i / ranks);
      marked->steps.push_back({window, step, rows_.ranks[i % ranks].rank, Millis(*values[i])});
    }
    marked->left_out += static_cast<std::int64_t>(bin.left_out);
    return bin.range;
  }

  // Least and largest of some neighbouring ranks.
  std::optional<Interval> cell(const Times& times, BinSpan span, std::size_t first_rank,
                               std::size_t end_rank) const {
    RangeOf range;
    for (std::size_t place = span.begin; place < span.end; ++place) {
      for (std::size_t rank = first_rank; rank < end_rank; ++rank) {
        range.add(times[place * rows_.ranks.size() + rank]);
      }
    }
    const auto found = range.range();
    return found ? std::optional(Interval{found->min, found->max}) : std::nullopt;
  }

 private:
  const AlignedRows& rows_;
  const Places& places_;
};

}  // namespace

std::size_t bins_for(std::size_t ranks, std::size_t arms) {
  constexpr std::size_t kCells = 240'000;
  const std::size_t rows = std::clamp<std::size_t>(ranks, 1, kMostRankRows);
  return std::clamp<std::size_t>(kCells / (rows * std::max<std::size_t>(arms, 1)), 24, 600);
}

ArmSteps bin_steps(const AlignedRows& rows, const std::vector<ArmWindow>& windows,
                   std::int64_t settle_steps, Clock clock, std::size_t most_bins) {
  const Places places(windows, settle_steps);
  const Times steps = times_of(
      rows, places, [clock](const StepRecord& step) { return in_ms(step_nanos(step, clock)); });
  const Times waits = times_of(rows, places, [](const StepRecord& step) {
    return in_ms(nanos_on(step.phases[index_of(Phase::kInputWait)], Clock::kCpu));
  });
  ArmSteps arm;
  arm.clock = clock;
  for (const RankRows& rank : rows.ranks) arm.ranks.push_back(rank.rank);
  const std::size_t ranks = rows.ranks.size();
  arm.ranks_per_row = std::max<std::size_t>((ranks + kMostRankRows - 1) / kMostRankRows, 1);
  arm.fences = fences_of(measured(steps));
  const Fences long_wait{-std::numeric_limits<double>::infinity(), kLongWait.count()};

  const Binning binning(rows, places);
  const std::vector<BinSpan> spans = bin_spans(places.lengths(), most_bins);
  for (const BinSpan span : spans) {
    StepBin bin;
    std::tie(bin.first_window, bin.first_step) = places.step_at(span.begin);
    std::tie(bin.last_window, bin.last_step) = places.step_at(span.end - 1);
    bin.step = binning.add(steps, span, arm.fences, &arm.outliers);
    bin.wait = binning.add(waits, span, long_wait, &arm.long_waits);
    arm.bins.push_back(bin);
  }
  for (std::size_t rank = 0; rank < ranks; rank += arm.ranks_per_row) {
    for (const BinSpan span : spans) {
      arm.cells.push_back(
          binning.cell(steps, span, rank, std::min(rank + arm.ranks_per_row, ranks)));
    }
  }
  return arm;
}

}  // namespace traceml
