#include <gmock/gmock.h>

#include "harness/backends/mpi/mpi_backend.h"

namespace traceml {
namespace {

TEST(MpiAbsentTest, SaysHowToBuildIt) {
  EXPECT_FALSE(mpi_built());
  try {
    start_mpi();
    FAIL() << "there is no MPI here";
  } catch (const NotBuilt& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("TRACEML_WITH_MPI=ON"));
  }
}

}  // namespace
}  // namespace traceml
