#include "harness/analysis/warmup.h"

#include <algorithm>

namespace traceml {

namespace {

template <typename Nanoseconds>
std::optional<Millis> slowest_first(const AlignedRows& warmup, Nanoseconds of_record) {
  std::optional<Millis> slowest;
  for (const RankRows& rank : warmup.ranks) {
    const std::optional<std::int64_t> own = of_record(*rank.rows.front());
    if (!own) return std::nullopt;
    slowest = std::max<Millis>(slowest.value_or(Millis{}), Nanos(*own));
  }
  return slowest;
}

}  // namespace

FirstStep first_step_of(const AlignedRows& warmup) {
  const bool all_began =
      warmup.missing.empty() && !warmup.steps.empty() && warmup.steps.front().step == StepIndex{0};
  if (!all_began) return {};
  return {slowest_first(warmup,
                        [](const StepRecord& record) {
                          return nanos_on(record.phases[index_of(Phase::kInputWait)], Clock::kCpu);
                        }),
          slowest_first(warmup,
                        [](const StepRecord& record) { return step_nanos(record, Clock::kCpu); })};
}

}  // namespace traceml
