#include "harness/app/gpu_text.h"

#include <gmock/gmock.h>

#include "harness/core/throttle_reasons.h"

namespace traceml {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(GpuText, NamesTheDeviceWithItsSize) {
  const Gpu gpu{.index = 1,
                .name = "NVIDIA H200",
                .uuid = "GPU-0",
                .pci_bus_id = "0000:1b:00.0",
                .compute_capability = "9.0",
                .memory_bytes = 150'107'979'776,
                .multiprocessors = 132};
  EXPECT_EQ(gpu_text(gpu),
            "NVIDIA H200, 139.8 GiB, 132 multiprocessors, compute capability 9.0, PCI "
            "0000:1b:00.0");
}

TEST(GpuText, TellsOfADevicesStateWhatTheDriverTells) {
  DeviceState state{.sm_clock_mhz = 1980,
                    .memory_clock_mhz = 3201,
                    .power_w = 75.24,
                    .temperature_c = 31,
                    .throttle_reasons = 0,
                    .other_processes = 0};
  EXPECT_EQ(device_state_text(state), "1980 MHz, memory 3201 MHz, 75.2 W, 31 C, 0 other processes");
  state.power_w = std::nullopt;
  state.other_processes = 1;
  EXPECT_EQ(device_state_text(state), "1980 MHz, memory 3201 MHz, 31 C, 1 other process");
  EXPECT_EQ(device_state_text({}), "the driver does not tell");
}

TEST(GpuText, WarnsOfOtherProcessesAndOfThrottlingButNotOfAPowerCap) {
  DeviceState state;
  EXPECT_THAT(device_warnings(0, state), IsEmpty()) << "nothing is known";
  state.throttle_reasons = kThrottleSwPowerCap | 0x1;
  state.other_processes = 0;
  EXPECT_THAT(device_warnings(0, state), IsEmpty());
  state.throttle_reasons = kThrottleSwThermal | kThrottleHwPowerBrake;
  state.other_processes = 2;
  EXPECT_THAT(device_warnings(3, state),
              ElementsAre("GPU 3 is used by other processes; its times will not be steady",
                          "GPU 3 is slowed down by the driver, for its heat",
                          "GPU 3 is slowed down by its power supply (power brake)"));
}

}  // namespace
}  // namespace traceml
