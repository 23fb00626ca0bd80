#include "harness/backends/local/fake_device_clock.h"
#include "harness/backends/local/virtual_device_clock.h"
#include "tests/backends/device_clock_contract.h"
#include "tests/runner/manual_clock.h"

namespace traceml {
namespace {

class FakeDevice final : public ClockedDevice {
 public:
  explicit FakeDevice(std::uint32_t marks) : clock_(host_, marks) {}
  DeviceClock& clock() override { return clock_; }
  DeviceQueue queue() override { return {}; }
  void enqueue(Nanos work) override { clock_.enqueue(work); }
  void finish() override {
    if (const Nanos left = clock_.busy_until() - host_.now(); left > Nanos{0}) host_.advance(left);
  }

 private:
  ManualClock host_;
  FakeDeviceClock clock_;
};

class VirtualDevice final : public ClockedDevice {
 public:
  explicit VirtualDevice(std::uint32_t marks) : clock_(marks) {}
  DeviceClock& clock() override { return clock_; }
  DeviceQueue queue() override { return {}; }
  void enqueue(Nanos work) override { clock_.set_position(clock_.position() + work); }
  void finish() override {}

 private:
  VirtualDeviceClock clock_;
};

}  // namespace

std::vector<DeviceClockCase> device_clock_cases() {
  return {
      {.name = "fake",
       .why_not = {},
       .queues = true,
       .make = [](std::uint32_t marks) { return std::make_unique<FakeDevice>(marks); }},
      {.name = "virtual",
       .why_not = {},
       .queues = false,
       .make = [](std::uint32_t marks) { return std::make_unique<VirtualDevice>(marks); }},
  };
}

}  // namespace traceml
