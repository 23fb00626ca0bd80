#pragma once
// Activities of a device that spin simulates: what the workload says that was done, as a collector
// of a real device would have recorded it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/ports/activity_trace.h"
#include "harness/ports/host_clock.h"

namespace traceml {

class SimulatedTrace final : public ActivityTrace {
 public:
  // `real` is the clock of the times that add_work() is told, and outlives this; null: they are of
  // a virtual one. Its epoch is 0 on all ranks, and so is `base`, so that equal runs have equal
  // files.
  explicit SimulatedTrace(HostClock* real = nullptr) : real_(real) {}

  // Steps so far; the streams that a real job has.
  enum class Stream : std::uint8_t { kTraining, kExchange };

  std::string name() const override { return "simulated"; }
  void warm_up() override;
  void begin() override;
  TimelineEvents end() override;
  std::int64_t stop() noexcept override;

  // Work of the device from `from` to `to`, launched by the training thread as it began. `name`
  // with Memcpy in it: a copy. Nothing where tracing is off. Training thread.
  void add_work(std::string_view name, Nanos from, Nanos to, Stream stream = Stream::kTraining);

 private:
  enum class State : std::uint8_t { kOff, kWarmUp, kOn };

  NameIndex name_index(std::string_view name);
  void clear();

  HostClock* real_;
  State state_ = State::kOff;
  TimelineEvents events_;
  std::map<std::string, NameIndex, std::less<>> names_;
  std::int64_t correlation_ = 0;
};

}  // namespace traceml
