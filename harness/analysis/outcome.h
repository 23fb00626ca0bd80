#pragma once
// The three verdicts and the reasons why there may be none (docs/statistics.md, 2.5 and 2.9).

#include <optional>
#include <string_view>

namespace traceml {

enum class Outcome { kPass, kFail, kInconclusive };

// In the order in which they become the headline when several hold.
enum class Reason {
  kMissingRank,
  kNonfiniteOrNonpositiveTime,
  kNonfiniteLoss,
  kNoCommonClock,
  kFingerprint,
  kDistortingEnvironment,
  kPhaseMisaligned,
  kQueueCredit,
  kReferenceInvalid,
  kReferenceUnchecked,
  kNotSteady,
  kClockThrottle,
  kArmLeftOut,
  kSingleRun,
  kBaselineCampaigns,
  kNotConfirmed,
  kTooFewUnits,
  kInterferenceSuspected,
  kWideInterval,
  kBorderline,
};

// "pass", "fail", "inconclusive".
std::string_view name_of(Outcome outcome);

// "missing_rank", "nonfinite_or_nonpositive_time", ...
std::string_view name_of(Reason reason);

// Lower is the headline.
constexpr int precedence_of(Reason reason) {
  return static_cast<int>(reason);
}

// Which clock a figure was taken on.
enum class Clock { kCpu, kGpu };

// "cpu", "gpu".
std::string_view name_of(Clock clock);

}  // namespace traceml
