#include "workloads/torch/dataset_inputs.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "workloads/input/dataset.h"
#include "workloads/input/make_batch_source.h"
#include "workloads/input/sample_order.h"

namespace traceml {
namespace {

class DatasetInputs final : public InputProvider {
 public:
  DatasetInputs(std::uint64_t seed, Rank rank, int world_size, DataSets listed, LoaderCores cores)
      : seed_(seed),
        rank_(rank),
        world_size_(world_size),
        datasets_(std::move(listed)),
        cores_(std::move(cores)) {}

  std::unique_ptr<BatchSource> open(const ArmConfig& arm) override {
    std::shared_ptr<const Dataset> dataset = dataset_of(arm.input);
    auto source =
        make_batch_source(arm.input, arm.workload, seed_, rank_, world_size_, dataset, cores_);
    note(arm, *dataset, source->threads());
    return source;
  }

  std::unique_ptr<GpuBatchSource> open_on_gpu(const ArmConfig& arm,
                                              const GpuPlace& place) override {
    std::shared_ptr<const Dataset> dataset = dataset_of(arm.input);
    auto source = make_gpu_batches(arm.input, arm.workload, seed_, rank_, world_size_, dataset,
                                   place, cores_);
    note(arm, *dataset, source->threads());
    return source;
  }

  void tell_progress_to(std::function<void()> progress) override {
    progress_ = std::move(progress);
  }

  std::map<std::string, std::string> facts() const override { return facts_; }

 private:
  void note(const ArmConfig& arm, const Dataset& dataset, const std::string& threads) {
    const auto images = static_cast<std::int64_t>(dataset.samples.size());
    const SampleOrder order(seed_, images, arm.workload.batch_size, rank_, world_size_);
    facts_.emplace("dataset_images", std::to_string(images));
    facts_.emplace("dataset_classes", std::to_string(dataset.classes.size()));
    facts_.emplace("batches_per_epoch", std::to_string(order.batches_per_epoch()));
    if (!threads.empty()) facts_.emplace("loader_threads", threads);
  }

  std::shared_ptr<const Dataset> dataset_of(const InputConfig& input) {
    std::shared_ptr<const Dataset>& dataset = datasets_[input.dataset_path];
    if (!dataset) dataset = std::make_shared<const Dataset>(load_dataset(input.dataset_path));
    if (input.cache == Cache::kWarm && warm_.insert(input.dataset_path).second) {
      warm_cache(*dataset, progress_);
    }
    if (input.cache == Cache::kCold && cold_.insert(input.dataset_path).second) {
      const bool seen = prepare_cold_reading(*dataset);
      facts_.emplace("cold_reads", seen ? "reach storage" : "may not reach storage");
    }
    return dataset;
  }

  std::uint64_t seed_;
  Rank rank_;
  int world_size_;
  DataSets datasets_;
  std::set<std::string> warm_;
  std::set<std::string> cold_;
  LoaderCores cores_;
  std::function<void()> progress_;
  std::map<std::string, std::string> facts_;  // of the first data set opened
};

}  // namespace

std::unique_ptr<InputProvider> make_dataset_inputs(std::uint64_t seed, Rank rank, int world_size,
                                                   DataSets listed, LoaderCores cores) {
  return std::make_unique<DatasetInputs>(seed, rank, world_size, std::move(listed),
                                         std::move(cores));
}

}  // namespace traceml
