#include "harness/runner/contract_check.h"

#include <gmock/gmock.h>

#include "harness/core/error.h"

namespace traceml {
namespace {

BatchContract contract() {
  return {.dtype = "uint8",
          .shape = {4, 3, 32, 32},
          .strides = {3072, 1, 96, 3},
          .label_dtype = "int64",
          .device_work = "normalize to float32"};
}

std::string refusal_of(const BatchContract& own, const BatchContract& other) {
  try {
    check_contract("shipped", own, "reference", other);
  } catch (const RunError& error) {
    return error.what();
  }
  return {};
}

TEST(ContractCheckTest, AcceptsEqualContracts) {
  EXPECT_EQ(refusal_of(contract(), contract()), "");
}

TEST(ContractCheckTest, NamesBothArmsTheFieldAndBothValues) {
  BatchContract other = contract();
  other.dtype = "float32";
  EXPECT_EQ(refusal_of(contract(), other),
            "the first batch of arm shipped has dtype uint8, that of its reference reference has "
            "float32: they would do different device work; give both arms the same batch");
  other = contract();
  other.strides = {3072, 1024, 32, 1};
  EXPECT_THAT(refusal_of(contract(), other),
              testing::HasSubstr("strides [3072, 1, 96, 3], that of its reference reference has "
                                 "[3072, 1024, 32, 1]"));
}

TEST(ContractCheckTest, LooksAtEveryField) {
  for (const auto& change : std::vector<std::function<void(BatchContract&)>>{
           [](BatchContract& c) { c.dtype = "float32"; },
           [](BatchContract& c) {
             c.shape = {8, 3, 32, 32};
           },
           [](BatchContract& c) { c.strides = {1}; },
           [](BatchContract& c) { c.label_dtype = "int32"; },
           [](BatchContract& c) { c.device_work.clear(); }}) {
    BatchContract other = contract();
    change(other);
    EXPECT_NE(refusal_of(contract(), other), "");
  }
}

TEST(ContractCheckTest, SaysHowAReferenceDiffersByDesign) {
  EXPECT_THAT(difference_by_design(DeviceQueue{}), testing::HasSubstr("no JPEG"));
  EXPECT_THAT(difference_by_design(DeviceQueue{1}), testing::HasSubstr("host to device"));
}

}  // namespace
}  // namespace traceml
