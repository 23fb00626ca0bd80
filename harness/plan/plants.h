#pragma once
// Planted faults: known costs and known failures, so that the tool can be tried and tested. Pure
// data and their texts: `plant: [{slowdown: 5%}, {delay: {rank: 1, ms: 20}}]`.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/phase.h"
#include "harness/core/units.h"
#include "harness/plan/value_forms.h"

namespace traceml {

inline constexpr std::size_t kMaxPlants = 64;  // in one list

enum class PlantKind {
  kSlowdown,
  kStall,
  kDelay,
  kUntracked,
  kDrift,
  kLaunchEffect,
  kLostEvent,
  kFault
};
enum class DelayOn { kHost, kDevice };  // device: an extra kernel before the all-reduce
enum class FaultHow { kThrow, kExit, kKill, kSegfault, kStop, kHang };

// The windows in which a plant that strikes once may strike.
struct StrikeWindow {
  bool in_warm_up = false;  // the arm's warm-up, and no window
  std::optional<int> from;  // the arm's first window with at least this WindowIndex;
                            // nullopt: its first one
  friend bool operator==(const StrikeWindow&, const StrikeWindow&) = default;
};

struct Plant {
  PlantKind kind = PlantKind::kSlowdown;
  double fraction = 0;          // slowdown: of forward and backward; drift: at the end of the run;
                                // launch_effect: standard deviation over launches
  Millis time{};                // stall, delay, untracked
  int every = 1;                // stall, delay: on each step with (step + 1) % every == 0
  std::optional<Phase> phase;   // stall, lost_event; fault: nullopt outside every phase
  bool at_all_reduce = false;   // fault: between backward and the all-reduce
  std::optional<Rank> rank;     // delay, lost_event, fault
  DelayOn on = DelayOn::kHost;  // delay
  StrikeWindow window;          // lost_event, fault
  int step = 0;                 // lost_event, fault: settle steps count, as in StepIndex
  FaultHow how = FaultHow::kThrow;
  friend bool operator==(const Plant&, const Plant&) = default;
};

// "{stall: {every: 8, ms: 20, phase: input_wait}}"
std::string text_of(const Plant& plant);

// The list as one line of flow YAML.
ValueForm<std::vector<Plant>> plants_form();

}  // namespace traceml
