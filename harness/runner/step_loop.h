#pragma once
// Runs one window or warm-up on this rank and returns what was measured.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/campaign.h"
#include "harness/core/records.h"
#include "harness/plan/plan.h"
#include "harness/ports/activity_trace.h"
#include "harness/ports/device_clock.h"
#include "harness/ports/device_monitor.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/transport.h"
#include "harness/ports/workload.h"
#include "harness/runner/event_sampler.h"
#include "harness/runner/position.h"
#include "harness/runner/step_recorder.h"

namespace traceml {

struct LoopPorts {
  Workload& workload;
  Transport& transport;
  HostClock& clock;
  DeviceClock* device;  // null: no device clock
  Position& position;
  HostClock* wall = nullptr;            // real time, where `clock` is simulated; null: `clock`
  DeviceMonitor* monitor = nullptr;     // null: none
  ActivityTrace* activities = nullptr;  // null: none, and no arm asks for it
};

struct Measured {
  std::optional<WindowRecord> window;  // nullopt: warm-up
  std::vector<StepRecord> steps;       // empty for bare arms
  std::vector<CollectiveRecord> collectives;
  std::vector<InputRecord> inputs;    // empty without a loader
  std::vector<DeviceRecord> devices;  // before and after the window; empty without a monitor
};

class StepLoop {
 public:
  // `facts` must outlive this. `drain`: how long marks are queried after a window.
  StepLoop(const CampaignFacts& facts, Nanos drain, const LoopPorts& ports);

  // Collective. Settle steps, barrier, start, steps, completion, end, barrier (docs/statistics.md,
  // 2.1).
  Measured run(const PlannedWindow& planned);

  // Collective. Rounds of facts.warmup_steps steps, all ranks as many: `rounds` of them or, where
  // that is nullopt, until rank 0 has seen `at_least` pass. Returns the rounds in `rounds`.
  Measured warm_up(ArmIndex arm, std::optional<int>& rounds, Nanos at_least);

  std::optional<Phase> current_phase() const { return recorder_.current_phase(); }

  // "events_unresolved", "step_records_dropped"; of arms with instrument cupti "activity_bytes" and
  // "activity_steps".
  std::map<std::string, std::int64_t> counters() const;

 private:
  Instrument instrument_of(ArmIndex arm) const;
  bool bare(ArmIndex arm) const;
  void start_recording(ArmIndex arm);
  void run_steps(ArmIndex arm, std::int64_t first, std::int64_t count);
  void complete();
  void meet();
  void stop_recording(ArmIndex arm, std::int64_t first_step, std::int64_t first_timed,
                      Measured* measured);
  void read_device(WindowIndex window, DeviceWhen when, Measured* measured);
  void take_records(ArmIndex arm, std::optional<WindowIndex> window, Measured* measured);

  const CampaignFacts& facts_;
  Nanos drain_;
  LoopPorts ports_;
  StepRecorder recorder_;
  std::unique_ptr<EventSampler> sampler_;
  std::int64_t unresolved_ = 0;
  std::int64_t activity_bytes_ = 0, activity_steps_ = 0;
};

}  // namespace traceml
