#pragma once
// Loaders whose batches are made in memory: batch k depends on the rank and k alone.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workloads/torch/input_provider.h"

namespace traceml::testing {

// What a test sees of the loaders that it handed out.
struct MemoryInputsLog {
  std::vector<std::int64_t> starts;
  std::int64_t batches_out = 0;  // taken and not released
  std::int64_t parks = 0;
  std::int64_t parks_with_batches_out = 0;
};

class MemorySource final : public BatchSource {
 public:
  MemorySource(const ArmConfig& arm, std::uint64_t rank, MemoryInputsLog& log)
      : rank_(rank),
        classes_(arm.workload.classes),
        is_uint8_(arm.input.dtype == SampleType::kUint8),
        labels_(static_cast<std::size_t>(arm.workload.batch_size)),
        pixels_(labels_.size() * 3 * static_cast<std::size_t>(arm.workload.image_size) *
                static_cast<std::size_t>(arm.workload.image_size)),
        floats_(pixels_.size()),
        log_(log) {}

  void start(std::int64_t first) override {
    next_ = first;
    log_.starts.push_back(first);
  }

  HostBatch next() override {
    std::uint64_t state = rank_ * 1000003 + static_cast<std::uint64_t>(next_) + 1;
    const auto random = [&state] {
      state = state * 6364136223846793005U + 1442695040888963407U;
      return state >> 40U;
    };
    for (auto& label : labels_) {
      label = static_cast<std::int64_t>(random() % static_cast<unsigned>(classes_));
    }
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      pixels_[i] = static_cast<std::uint8_t>(random());
      floats_[i] = static_cast<float>(pixels_[i]) / 64.0F - 2.0F;
    }
    ++log_.batches_out;
    const void* images = is_uint8_ ? static_cast<const void*>(pixels_.data()) : floats_.data();
    return {images, labels_.data(), static_cast<std::int64_t>(labels_.size()), next_++, 0};
  }

  // What was released is overwritten at once, as a fast loader would.
  void release(const HostBatch& /*batch*/) override {
    --log_.batches_out;
    pixels_.assign(pixels_.size(), 0);
    floats_.assign(floats_.size(), 1e30F);
    labels_.assign(labels_.size(), 0);
  }

  std::optional<std::int64_t> ready() const override { return 2; }

  void park() override {
    ++log_.parks;
    if (log_.batches_out != 0) ++log_.parks_with_batches_out;
  }

  std::map<std::string, std::int64_t> counters() const override { return {{"samples_grey", 3}}; }
  std::vector<std::string> replaced_files() const override { return {"a.jpg is empty", "b.jpg"}; }

 private:
  std::uint64_t rank_;
  int classes_;
  bool is_uint8_;
  std::vector<std::int64_t> labels_;
  std::vector<std::uint8_t> pixels_;
  std::vector<float> floats_;
  std::int64_t next_ = 0;
  MemoryInputsLog& log_;
};

class MemoryInputs final : public InputProvider {
 public:
  explicit MemoryInputs(MemoryInputsLog& log, std::uint64_t rank = 0) : log_(log), rank_(rank) {}

  std::unique_ptr<BatchSource> open(const ArmConfig& arm) override {
    return std::make_unique<MemorySource>(arm, rank_, log_);
  }
  std::map<std::string, std::string> facts() const override { return {{"dataset_images", "302"}}; }

 private:
  MemoryInputsLog& log_;
  std::uint64_t rank_;
};

}  // namespace traceml::testing
