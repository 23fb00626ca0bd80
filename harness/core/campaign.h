#pragma once
// What the analysis must know of a plan to judge its records. plan makes it, analysis reads it;
// both stay pure.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/sweep.h"

namespace traceml {

enum class Instrument {
  kNone,
  kHost,
  kEvents,
  kCupti  // events, and every activity of the device is collected
};

// Whether phases are marked on the device.
constexpr bool marks_device(Instrument instrument) {
  return instrument == Instrument::kEvents || instrument == Instrument::kCupti;
}

struct ArmFacts {
  std::string name;  // "shipped"; a hidden bare twin is "shipped/none"
  Instrument instrument = Instrument::kEvents;
  std::int64_t global_batch = 0;      // images per step over all ranks
  int period = 1;                     // stall period in steps
  std::int64_t queue_capacity = 0;    // batches that the loader can hold ready; 0 without a queue
  std::optional<int> workers;         // of its loader, 0: the training thread makes the batches;
                                      // null: it has no loader
  bool input_free = false;            // batches come from memory: a reference
  bool hidden = false;                // made for an overhead gate, not written by the user
  std::optional<ArmIndex> reference;  // the matched input-free arm, if the run has one
  // Every key that an arm may set, as "input.workers" = "8": for the list of keys in which two arms
  // differ.
  std::vector<std::pair<std::string, std::string>> settings;
};

enum class GateKind { kMinFraction, kMaxRegression, kMaxOverhead };

// The baseline of a gate is campaigns that were stored (docs/statistics.md, 2.8).
struct StoredSpec {
  std::string store;                   // its folder, as reports may show it
  double reference_delta = 0.08;       // margin of the guard on the reference's own time
  std::vector<std::string> treatment;  // software that may differ, since it is what is judged
  bool confirm_on_fail = false;        // a failure counts if a second campaign fails, too
};

// The arms of a gate of which one cannot run on this machine and was left out of the run.
struct LeftOutArms {
  std::string candidate, baseline;
  std::string why;  // a sentence
  friend bool operator==(const LeftOutArms&, const LeftOutArms&) = default;
};

// Each gate judges theta = ln(T_candidate / T_baseline) against ln(1 + delta).
struct GateSpec {
  std::string name;  // "shipped against reference"
  GateKind kind = GateKind::kMaxRegression;
  ArmIndex candidate;
  ArmIndex baseline;
  double delta = 0.02;                 // min_fraction f: 1/f - 1
  std::optional<double> min_fraction;  // as written, for reports
  bool inconclusive_passes = false;    // `inconclusive: pass`
  bool inconclusive_fails = false;     // `inconclusive: fail`: shown as a failure to CI
  int escalate_after = 0;              // so many runs without a verdict in a row fail; 0: never
  int inconclusive_before = 0;         // runs just before this one that gave no verdict
  // Then `baseline` is the candidate's matched reference, or the candidate itself without one.
  std::optional<StoredSpec> stored{};
  // Then it has no verdict, and `candidate` and `baseline` say nothing.
  std::optional<LeftOutArms> left_out{};

  bool judges_ratio_to_reference() const { return stored && candidate != baseline; }
};

// The arms are commands: one number of each whole launch.
struct CommandFacts {
  std::string unit;               // of the number
  bool larger_is_better = false;  // a throughput: the time of a unit of work is 1 / number
};

struct CampaignFacts {
  int world_size = 1;
  std::int64_t steps_per_window = 0;
  std::int64_t settle_steps = 0;
  std::int64_t warmup_steps = 0;
  int period = 1;  // least common multiple over the arms
  std::vector<ArmFacts> arms;
  std::vector<GateSpec> gates;
  std::vector<GateSpec> stored_gates;    // judged once, over the whole campaign
  std::vector<GateSpec> left_out_gates;  // GateSpec::left_out
  double alpha = 0.05;
  std::vector<int> looks = {6, 10, 14, 20};  // blocks after which a verdict may be reached
  int max_blocks = 20;
  bool until_verdict = false;     // a look after every second block, all at the whole of alpha
  double interaction_sd = 0.003;  // launch x arm, for one launch (statistics 2.7)
  std::string noise_profile;      // the file that it comes from, as reports may show it; or empty
  std::uint64_t seed = 0;
  // Launches that are judged together, each of max_blocks blocks; 0: this launch is judged alone,
  // over its blocks.
  int launches = 0;
  // The records are those of several such launches, one after the other: the launch is the unit,
  // and looks count launches (analysis/launch_pool.h).
  bool pooled = false;
  std::vector<std::string>
      distortions;  // "CUDA_LAUNCH_BLOCKING=1": the environment makes timings worthless
  std::optional<CommandFacts> commands{};  // null: the arms train
  std::optional<int> cores_per_rank{};     // what rank 0 may use of its node; null: not known, or
                                           // the run is simulated
  std::optional<SweepSpec> sweep{};
};

// K of docs/statistics.md, 2.5: alpha is shared by so many looks. max_blocks ends a run early and
// moves no level. The confidence sequence of until_verdict holds at every look; where one launch is
// judged, what that launch cannot show is a second way to be wrong at any of them, and half of
// alpha is its share. The figures of one launch of several are at the level of a run's looks.
inline int alpha_shares(const CampaignFacts& facts) {
  if (facts.until_verdict) return facts.interaction_sd > 0 ? 2 : 1;
  if (facts.launches > 0 && !facts.pooled) return static_cast<int>(CampaignFacts{}.looks.size());
  const int last = facts.pooled ? facts.launches : facts.max_blocks;
  const bool planned = std::find(facts.looks.begin(), facts.looks.end(), last) != facts.looks.end();
  return static_cast<int>(facts.looks.size()) + (planned ? 0 : 1);
}

// Whether a failure may be measured again, by as many launches behind the first ones.
inline bool confirms_failures(const CampaignFacts& facts) {
  return std::any_of(facts.stored_gates.begin(), facts.stored_gates.end(),
                     [](const GateSpec& gate) { return gate.stored->confirm_on_fail; });
}

// m of 2.6: so many regressions may be claimed of one campaign. A stored gate on a ratio has a
// guard beside it.
inline int claims_of(const CampaignFacts& facts) {
  std::size_t claims = facts.gates.size();
  for (const GateSpec& gate : facts.stored_gates)
    claims += gate.judges_ratio_to_reference() ? 2 : 1;
  return static_cast<int>(std::max<std::size_t>(claims, 1));
}

}  // namespace traceml
