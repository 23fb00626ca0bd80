#include <gtest/gtest.h>

#include "harness/backends/local/single_rank.h"
#include "workloads/torch/operator_recorder.h"
#include "workloads/torch/torch_workload.h"

namespace traceml {
namespace {

TEST(TorchWorkloadAbsent, NamesTheOptionThatBuildsIt) {
  SingleTransport transport;
  SingleCollective collective;
  EXPECT_FALSE(torch_facts());
  try {
    make_torch_workload(Plan{}, transport, collective, std::nullopt, DataSets{});
    FAIL() << "not refused";
  } catch (const NotBuilt& error) {
    EXPECT_NE(std::string(error.what()).find("-DTRACEML_WITH_TORCH=ON"), std::string::npos);
  }
}

TEST(TorchWorkloadAbsent, AlsoWhereOperatorsAreAskedFor) {
  try {
    make_operator_recorder();
    FAIL() << "not refused";
  } catch (const NotBuilt& error) {
    EXPECT_NE(std::string(error.what()).find("-DTRACEML_WITH_TORCH=ON"), std::string::npos);
  }
}

}  // namespace
}  // namespace traceml
