#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "harness/plan/config.h"
#include "workloads/input/batch_source.h"

namespace traceml {

// Opens the loaders of a run's arms; arms that read the same data set share it.
class InputProvider {
 public:
  virtual ~InputProvider() = default;

  // A parked loader for an arm whose input.source is the data set. Throws UsageError or RunError
  // for a data set that cannot serve it.
  virtual std::unique_ptr<BatchSource> open(const ArmConfig& arm) = 0;

  // open() calls `progress` whenever it has read a file.
  virtual void tell_progress_to(std::function<void()> /*progress*/) {}

  // Facts for reports about what was opened: "dataset_images", "dataset_batches_per_epoch".
  virtual std::map<std::string, std::string> facts() const = 0;
};

}  // namespace traceml
