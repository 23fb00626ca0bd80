#include "harness/analysis/outcome.h"

#include <array>
#include <cstddef>

#include "harness/analysis/summary.h"

namespace traceml {

namespace {

constexpr std::array<std::string_view, 20> kReasonNames = {
    "missing_rank",       "nonfinite_or_nonpositive_time",
    "nonfinite_loss",     "no_common_clock",
    "fingerprint",        "distorting_environment",
    "phase_misaligned",   "queue_credit",
    "reference_invalid",  "reference_unchecked",
    "not_steady",         "clock_throttle",
    "arm_left_out",       "single_run",
    "baseline_campaigns", "not_confirmed",
    "too_few_units",      "interference_suspected",
    "wide_interval",      "borderline"};
static_assert(kReasonNames.size() == static_cast<std::size_t>(Reason::kBorderline) + 1);

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPass:
      return "pass";
    case Outcome::kFail:
      return "fail";
    case Outcome::kInconclusive:
      break;
  }
  return "inconclusive";
}

std::string_view name_of(Reason reason) {
  return kReasonNames[static_cast<std::size_t>(reason)];
}

std::string_view name_of(Clock clock) {
  return clock == Clock::kGpu ? "gpu" : "cpu";
}

std::string_view name_of(Direction direction) {
  switch (direction) {
    case Direction::kSlower:
      return "slower";
    case Direction::kFaster:
      return "faster";
    case Direction::kUnresolved:
      break;
  }
  return "unresolved";
}

}  // namespace traceml
