#include "harness/runner/contract_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/error.h"

namespace traceml {
namespace {

std::string text_of(const std::string& value) {
  return value.empty() ? "none" : value;
}

std::string text_of(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

}  // namespace

void check_contract(const std::string& arm, const BatchContract& contract,
                    const std::string& reference, const BatchContract& reference_contract) {
  const auto compare = [&](const char* field, const auto& own, const auto& other) {
    if (own == other) return;
    throw RunError(fmt::format(
        "the first batch of arm {} has {} {}, that of its reference {} has {}: they would do "
        "different device work; give both arms the same batch",
        arm, field, text_of(own), reference, text_of(other)));
  };
  compare("dtype", contract.dtype, reference_contract.dtype);
  compare("shape", contract.shape, reference_contract.shape);
  compare("strides", contract.strides, reference_contract.strides);
  compare("label type", contract.label_dtype, reference_contract.label_dtype);
  compare("device work", contract.device_work, reference_contract.device_work);
}

std::string difference_by_design(DeviceQueue training_queue) {
  if (training_queue == DeviceQueue{}) {
    return "its reference decodes no JPEG: one batch stays in memory";
  }
  return "its reference decodes no JPEG and copies nothing from host to device: one batch stays on "
         "the device";
}

}  // namespace traceml
