#include "harness/app/gpu_choice.h"

#include <gmock/gmock.h>

#include "harness/backends/local/single_rank.h"
#include "harness/plan/environment.h"

namespace traceml {
namespace {

TEST(GpuFacts, AreWhatReportsAndStoredCampaignsKnowADeviceBy) {
  SingleTransport transport;
  Environment environment;
  add_gpu_facts({.index = 1,
                 .name = "NVIDIA H200",
                 .uuid = "GPU-1",
                 .pci_bus_id = "0000:1b:00.0",
                 .compute_capability = "9.0",
                 .memory_bytes = std::int64_t{140} << 30},
                transport, environment.facts);
  EXPECT_EQ(environment.facts.at("gpu_model"), "NVIDIA H200");
  EXPECT_EQ(environment.facts.at("gpu_count"), "1");
  EXPECT_EQ(environment.facts.at("device"), "1 x NVIDIA H200");
  EXPECT_THAT(short_form(environment), testing::HasSubstr("1 x NVIDIA H200"));
}

TEST(GpuName, HasItsNumberAndItsPlace) {
  EXPECT_EQ(name_of(Gpu{.index = 1, .pci_bus_id = "0000:1b:00.0"}), "GPU 1 (0000:1b:00.0)");
}

}  // namespace
}  // namespace traceml
