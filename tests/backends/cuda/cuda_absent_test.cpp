#include <gmock/gmock.h>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/local/single_rank.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(CudaAbsent, FindsNoGpuAndSaysHowToBuildItIn) {
  EXPECT_FALSE(cuda_built());
  const GpuSearch found = find_gpus();
  EXPECT_THAT(found.gpus, IsEmpty());
  EXPECT_THAT(found.why_none, HasSubstr("-DTRACEML_WITH_CUDA=ON"));
  EXPECT_EQ(found.runtime, std::nullopt);
  std::string why_not;
  EXPECT_EQ(make_gpu_monitor("GPU-none", why_not), nullptr);
  EXPECT_EQ(why_not, found.why_none);
  EXPECT_EQ(gpu_driver_version(), std::nullopt);
}

TEST(CudaAbsent, RefusesWhatNeedsIt) {
  SingleCollective host;
  EXPECT_THROW(use_gpu(0), NotBuilt);
  EXPECT_THROW(make_cuda_device_clock(0, 2), NotBuilt);
  EXPECT_THROW(make_gpu_delay(0), NotBuilt);
  EXPECT_THROW(make_staged_collective(host, 0), NotBuilt);
}

}  // namespace
}  // namespace traceml
