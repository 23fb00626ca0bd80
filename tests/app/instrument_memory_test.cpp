#include "harness/app/instrument_memory.h"

#include <gtest/gtest.h>

namespace traceml {
namespace {

TEST(InstrumentMemory, IsToldInMebibytesForTheDeviceAndTheHost) {
  EXPECT_EQ(instrument_memory_text({.device = 2 << 20, .host = 1'363'149}),
            "2.0 MiB of GPU memory and 1.3 MiB of host memory");
  EXPECT_EQ(instrument_memory_text({.device = 0, .host = 5 << 20}),
            "no GPU memory that can be seen and 5.0 MiB of host memory");
  EXPECT_EQ(instrument_memory_text({.device = 0, .host = 15'400}),
            "no GPU memory that can be seen and 16 KiB of host memory");
}

TEST(InstrumentMemory, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(instrument_memory_text({.device = std::nullopt, .host = 1 << 20}),
            "1.0 MiB of host memory");
  EXPECT_EQ(instrument_memory_text({}), "");
}

}  // namespace
}  // namespace traceml
