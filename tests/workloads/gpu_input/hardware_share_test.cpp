#include "workloads/gpu_input/hardware_share.h"

#include <gtest/gtest.h>

namespace traceml {
namespace {

int in_whole_batch(int batch, int unit, double share) {
  int sum = 0;
  for (int first = 0; first < batch; first += unit) {
    sum += hardware_rows(first, std::min(unit, batch - first), share);
  }
  return sum;
}

TEST(HardwareShare, IsKeptOverABatchHoweverItIsCutIntoUnits) {
  for (const double share : {0.0, 0.1, 0.35, 0.5, 0.65, 0.9, 0.99, 1.0}) {
    for (const int unit : {1, 7, 16, 32, 128}) {
      EXPECT_EQ(in_whole_batch(128, unit, share), static_cast<int>(128 * share + 0.5))
          << share << " in units of " << unit;
    }
  }
}

TEST(HardwareShare, GivesNoUnitMoreThanItsRowsOrFewerThanNone) {
  for (const double share : {0.0, 0.01, 0.5, 0.97, 1.0}) {
    for (int first = 0; first < 256; ++first) {
      const int rows = hardware_rows(first, 1, share);
      EXPECT_GE(rows, 0);
      EXPECT_LE(rows, 1);
    }
    EXPECT_LE(hardware_rows(96, 32, share), 32);
  }
  EXPECT_EQ(hardware_rows(0, 32, 1.0), 32);
  EXPECT_EQ(hardware_rows(0, 32, 0.0), 0);
}

TEST(AutomaticShare, IsNoneWithoutEngines) {
  EXPECT_EQ(automatic_share(0, 0, 8), 0.0);
  EXPECT_EQ(automatic_share(0, 1, 2), 0.0);
}

TEST(AutomaticShare, IsAllWhereTheEnginesDecodeMoreThanTheThreadsCould) {
  for (const int workers : {1, 2, 8, 14}) EXPECT_EQ(automatic_share(7, 1, workers), 1.0);
}

TEST(AutomaticShare, FallsAsThreadsDecodeMoreThanTheEngines) {
  double last = 1.0;
  for (const int workers : {32, 64, 128}) {
    const double share = automatic_share(7, 1, workers);
    EXPECT_LT(share, last) << workers;
    EXPECT_GT(share, 0.0);
    last = share;
  }
}

TEST(AutomaticShare, RisesWithTheEngines) {
  EXPECT_LT(automatic_share(1, 1, 8), automatic_share(2, 1, 8));
  EXPECT_EQ(automatic_share(1, 2, 8), automatic_share(2, 1, 8));
}

TEST(UnitRows, CutABatchIntoEqualPartsThatFitIntoAKernel) {
  EXPECT_EQ(unit_rows(1), 1);
  EXPECT_EQ(unit_rows(32), 32);
  EXPECT_EQ(unit_rows(33), 17);
  EXPECT_EQ(unit_rows(128), 32);
  EXPECT_EQ(unit_rows(127), 32);
  for (int batch = 1; batch < 600; ++batch) {
    EXPECT_LE(unit_rows(batch), 32);
    EXPECT_GE(unit_rows(batch), std::min(batch, 16)) << batch;
  }
}

}  // namespace
}  // namespace traceml
