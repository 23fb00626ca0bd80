#include "harness/app/data_check.h"

#include <fmt/format.h>

#include <memory>

#include "harness/app/environment_probe.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "harness/plan/loader_memory.h"
#include "workloads/input/sample_order.h"

namespace traceml {
namespace {

// "quickstart.yaml:16:12: ", or nothing where the config came without places.
std::string place_of_data_set(const Config& config, const ArmConfig& arm) {
  for (const std::string& key :
       {"arms." + arm.name + ".input.dataset", std::string("input.dataset")}) {
    if (const auto found = config.places.find(key); found != config.places.end()) {
      return found->second + ": ";
    }
  }
  return "";
}

}  // namespace

DataSets list_data_sets(const Plan& plan, int world_size) {
  DataSets listed;
  for (const ArmConfig& arm : plan.config.arms) {
    if (!reads_files(arm)) continue;
    const std::string place = place_of_data_set(plan.config, arm);
    if (arm.input.dataset_path.empty()) {
      throw UsageError(fmt::format("{}arm '{}' reads a data set, but input.dataset names none",
                                   place, arm.name));
    }
    try {
      std::shared_ptr<const Dataset>& dataset = listed[arm.input.dataset_path];
      if (!dataset) dataset = std::make_shared<const Dataset>(load_dataset(arm.input.dataset_path));
      if (const auto classes = dataset->classes.size();
          classes > static_cast<std::size_t>(arm.workload.classes)) {
        throw UsageError(fmt::format(
            "the data set has {} classes and workload.classes is {}; set it to {} or more", classes,
            arm.workload.classes, classes));
      }
      const auto images = static_cast<std::int64_t>(dataset->samples.size());
      SampleOrder(plan.config.seed, images, arm.workload.batch_size, Rank{0}, world_size);
    } catch (const Error& error) {
      throw UsageError(place + error.what());
    }
  }
  return listed;
}

void check_loader_memory(const Plan& plan, int ranks_on_node) {
  const auto limit = memory_limit();
  if (!limit) return;
  if (const auto sentence = loaders_exceed(plan, ranks_on_node, *limit)) {
    throw UsageError(*sentence);
  }
}

}  // namespace traceml
