#include "harness/backends/local/simulated_trace.h"
#include "tests/backends/activity_trace_contract.h"

namespace traceml {
namespace {

class SimulatedDevice final : public TracedDevice {
 public:
  ActivityTrace& trace() override { return trace_; }
  void launch(Nanos work) override { add(work, SimulatedTrace::Stream::kTraining); }
  void launch_beside(Nanos work) override { add(work, SimulatedTrace::Stream::kExchange); }
  void finish() override {}
  Nanos now() override { return now_; }

 private:
  void add(Nanos work, SimulatedTrace::Stream stream) {
    trace_.add_work("spin", now_, now_ + work, stream);
    now_ += work;
  }

  SimulatedTrace trace_;
  Nanos now_ = std::chrono::seconds(1);
};

}  // namespace

std::vector<ActivityTraceCase> activity_trace_cases() {
  return {{.name = "simulated", .why_not = "", .make = [] {
             return std::make_unique<SimulatedDevice>();
           }}};
}

}  // namespace traceml
