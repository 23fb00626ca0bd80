#include "harness/app/data_check.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "harness/core/error.h"
#include "harness/plan/arms.h"
#include "workloads/input/dataset.h"
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

void check_data_sets(const Plan& plan, int world_size) {
  std::map<std::string, Dataset> loaded;
  for (const ArmConfig& arm : plan.config.arms) {
    if (!reads_files(arm)) continue;
    const std::string place = place_of_data_set(plan.config, arm);
    if (arm.input.dataset_path.empty()) {
      throw UsageError(fmt::format("{}arm '{}' reads a data set, but input.dataset names none",
                                   place, arm.name));
    }
    try {
      auto found = loaded.find(arm.input.dataset_path);
      if (found == loaded.end()) {
        found = loaded.emplace(arm.input.dataset_path, load_dataset(arm.input.dataset_path)).first;
      }
      if (const auto classes = found->second.classes.size();
          classes > static_cast<std::size_t>(arm.workload.classes)) {
        throw UsageError(fmt::format(
            "the data set has {} classes and workload.classes is {}; set it to {} or more", classes,
            arm.workload.classes, classes));
      }
      const auto images = static_cast<std::int64_t>(found->second.samples.size());
      SampleOrder(plan.config.seed, images, arm.workload.batch_size, Rank{0}, world_size);
    } catch (const Error& error) {
      throw UsageError(place + error.what());
    }
  }
}

}  // namespace traceml
