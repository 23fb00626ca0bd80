#pragma once
// Whether the steps of a window still drift after warm-up (docs/statistics.md, 2.10), and whether a
// window's first period is odd in one arm only (2.2, carry-over).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/ids.h"

namespace traceml {

// Step times of one window in order, max over ranks, in ms; none is null.
struct WindowSeries {
  WindowIndex window;
  std::vector<double> steps_ms;
};

struct Steadiness {
  std::int64_t units = 0;  // windows, or launches
  double mean = 0;         // of ln(mean of first third / mean of last third)
  double t = 0;            // of that mean, df = units - 1
  double critical = 0;     // t_{.975, units - 1}

  // |t| > critical and |mean| > delta / 2.
  bool flagged(double delta) const;
};

// Over the windows of both arms, blind to the arm. Thirds are multiples of `period`. nullopt below
// two windows of three periods. windows_per_launch > 0: the launch is the unit, with the mean of
// its windows; launch j has the windows from j * windows_per_launch on.
std::optional<Steadiness> steadiness_of(std::span<const WindowSeries> candidate,
                                        std::span<const WindowSeries> baseline, int period,
                                        std::int64_t windows_per_launch = 0);

struct CarryOver {
  double difference = 0;  // candidate - baseline, of ln(first period / rest of the window)
  double t = 0;           // Welch
  bool clear = false;     // |t| > t_.995
};

// nullopt where an arm has fewer than two windows longer than a period.
std::optional<CarryOver> carry_over_of(std::span<const WindowSeries> candidate,
                                       std::span<const WindowSeries> baseline, int period);

}  // namespace traceml
