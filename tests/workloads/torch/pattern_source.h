#pragma once
// A loader whose batches are recognised by their bytes.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/torch/input_provider.h"

namespace traceml::testing {

// Batch k is full of the byte k % 251. A slot that is given back is overwritten at once.
class PatternSource final : public BatchSource {
 public:
  explicit PatternSource(const ArmConfig& arm)
      : images_(kSlots, std::vector<std::byte>(static_cast<std::size_t>(arm.workload.batch_size) *
                                               3 * image_pixels(arm))),
        labels_(kSlots,
                std::vector<std::int64_t>(static_cast<std::size_t>(arm.workload.batch_size))),
        classes_(arm.workload.classes),
        free_(kSlots, true) {}

  static int byte_of(std::int64_t batch) { return static_cast<int>(batch % 251); }

  void start(std::int64_t first) override { next_ = first; }

  HostBatch next() override {
    const auto slot = static_cast<std::size_t>(next_ % kSlots);
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return free_[slot]; });
    free_[slot] = false;
    ++out_;
    std::memset(images_[slot].data(), byte_of(next_), images_[slot].size());
    for (std::int64_t& label : labels_[slot]) label = next_ % classes_;
    return {images_[slot].data(), labels_[slot].data(), std::ssize(labels_[slot]), next_++,
            static_cast<int>(slot)};
  }

  void release(const HostBatch& batch) override {
    const auto slot = static_cast<std::size_t>(batch.slot);
    const std::lock_guard lock(mutex_);
    std::memset(images_[slot].data(), 0xFF, images_[slot].size());
    for (std::int64_t& label : labels_[slot]) label = -1;
    free_[slot] = true;
    --out_;
    returned_.notify_all();
  }

  std::vector<std::span<std::byte>> memory() override {
    std::vector<std::span<std::byte>> regions;
    for (std::size_t i = 0; i < kSlots; ++i) {
      regions.emplace_back(images_[i]);
      regions.push_back(std::as_writable_bytes(std::span(labels_[i])));
    }
    return regions;
  }

  std::optional<std::int64_t> ready() const override { return 1; }
  void park() override { batches_out_at_park = out_; }
  std::map<std::string, std::int64_t> counters() const override { return {}; }

  std::atomic<int> batches_out_at_park{-1};

 private:
  static constexpr std::size_t kSlots = 3;

  static std::size_t image_pixels(const ArmConfig& arm) {
    const auto size = static_cast<std::size_t>(arm.workload.image_size);
    return size * size;
  }

  std::vector<std::vector<std::byte>> images_;
  std::vector<std::vector<std::int64_t>> labels_;
  int classes_;
  std::vector<bool> free_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::int64_t next_ = 0;
  int out_ = 0;
};

class PatternInputs final : public InputProvider {
 public:
  std::unique_ptr<BatchSource> open(const ArmConfig& arm) override {
    return std::make_unique<PatternSource>(arm);
  }
  std::map<std::string, std::string> facts() const override { return {}; }
};

}  // namespace traceml::testing
