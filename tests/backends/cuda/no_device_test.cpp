// What a binary with CUDA says where it may use no device: run with CUDA_VISIBLE_DEVICES empty.
#include <gmock/gmock.h>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(WithoutADevice, SaysInOneSentenceWhyThereIsNone) {
  const GpuSearch found = find_gpus();
  EXPECT_THAT(found.gpus, IsEmpty());
  EXPECT_TRUE(found.runtime);
  if (found.driver_cuda) {
    EXPECT_THAT(found.why_none,
                AnyOf("CUDA_VISIBLE_DEVICES='' leaves no device", HasSubstr("update the driver")));
  } else {
    EXPECT_EQ(found.why_none, "no NVIDIA driver is loaded on this machine");
  }
}

TEST(WithoutADevice, ThrowsTheErrorsNameFromWhatNeedsOne) {
  for (const auto& needs_one :
       {+[] { use_gpu(0); }, +[] { make_cuda_device_clock(0, 2); }, +[] { make_gpu_delay(0); }}) {
    try {
      needs_one();
      ADD_FAILURE() << "there is no device";
    } catch (const RunError& error) {
      EXPECT_THAT(error.what(), HasSubstr("CUDA: cudaError"));
    }
  }
}

TEST(WithoutADevice, MonitorsNone) {
  std::string why_not;
  EXPECT_EQ(make_gpu_monitor("GPU-none", why_not), nullptr);
  EXPECT_THAT(why_not, Not(IsEmpty()));
}

}  // namespace
}  // namespace traceml
