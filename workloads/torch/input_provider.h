#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "harness/core/error.h"
#include "harness/plan/config.h"
#include "workloads/gpu_input/gpu_batches.h"
#include "workloads/input/batch_source.h"

namespace traceml {

// Opens the loaders of a run's arms; arms that read the same data set share it.
class InputProvider {
 public:
  virtual ~InputProvider() = default;

  // A parked loader for an arm whose input.source is the data set. Throws UsageError or RunError
  // for a data set that cannot serve it.
  virtual std::unique_ptr<BatchSource> open(const ArmConfig& arm) = 0;

  // The same for an arm whose images a GPU decodes. Throws UsageError, too, where what it decodes
  // with is not there.
  virtual std::unique_ptr<GpuBatchSource> open_on_gpu(const ArmConfig& arm,
                                                      const GpuPlace& /*place*/) {
    throw UsageError("arm " + arm.name + ": this loader decodes nothing on a GPU");
  }

  // open() calls `progress` whenever it has read a file.
  virtual void tell_progress_to(std::function<void()> /*progress*/) {}

  // Facts for reports about what was opened: "dataset_images", "dataset_batches_per_epoch".
  virtual std::map<std::string, std::string> facts() const = 0;
};

}  // namespace traceml
