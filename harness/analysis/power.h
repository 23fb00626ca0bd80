#pragma once
// How many units show an effect (docs/statistics.md, 3.5).

#include <optional>

namespace traceml {

// Units are counted in steps from `fewest` on; an estimate over n of them has n - `lost` degrees of
// freedom.
struct UnitKind {
  int fewest = 4;
  int step = 2;
  int lost = 2;
};

inline constexpr UnitKind kPairs = {4, 2, 2};  // order-adjusted: as many of either order
inline constexpr UnitKind kLaunchesAsUnits = {6, 1, 1};
inline constexpr int kMostUnits = 100'000;

// P(a single look at one-sided `alpha` tells an effect that lies `distance` (in log ratio) from the
// bound), of n units with standard deviation `sd` > 0: the upper tail of the noncentral t. Exact
// for normal units.
double power_of(int units, const UnitKind& kind, double sd, double distance, double alpha);

// The fewest units with that power; nullopt: more than kMostUnits, as for a distance of 0.
std::optional<int> units_needed(const UnitKind& kind, double sd, double distance, double alpha,
                                double power);

// |ln((1 + effect) / (1 + delta))|: what lies between an effect and a margin.
double distance_to_margin(double effect, double delta);

}  // namespace traceml
