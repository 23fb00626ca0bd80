#include "workloads/torch/batch_feed.h"

#include <ATen/CPUGeneratorImpl.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.h"

namespace traceml {
namespace {

at::ScalarType scalar_type(SampleType type) {
  return type == SampleType::kUint8 ? at::kByte : at::kFloat;
}

std::vector<std::int64_t> shape_of(const ArmConfig& arm) {
  const std::int64_t size = arm.workload.image_size;
  return {arm.workload.batch_size, 3, size, size};
}

class LoaderFeed final : public BatchFeed {
 public:
  LoaderFeed(std::unique_ptr<BatchSource> source, const ArmConfig& arm)
      : source_(std::move(source)),
        shape_(shape_of(arm)),
        strides_({3 * shape_[2] * shape_[3], 1, 3 * shape_[3], 3}),
        options_(at::TensorOptions().dtype(scalar_type(arm.input.dtype))) {}

  void start(std::int64_t first) override { source_->start(first); }

  ArrivedBatch next() override {
    out_ = source_->next();
    if (out_->count != shape_[0]) {
      throw RunError("the loader delivered a batch of " + std::to_string(out_->count) +
                     " images where workload.batch_size is " + std::to_string(shape_[0]));
    }
    // libtorch has no tensors of const memory; nothing writes into these.
    auto* images = const_cast<void*>(out_->images);
    auto* labels = const_cast<std::int64_t*>(out_->labels);
    return {at::from_blob(images, shape_, strides_, options_),
            at::from_blob(labels, {out_->count}, at::TensorOptions().dtype(at::kLong))};
  }

  void release() override {
    if (out_) source_->release(*out_);
    out_.reset();
  }

  void park() override {
    release();
    source_->park();
  }

  std::optional<std::int64_t> ready() const override { return source_->ready(); }
  std::map<std::string, std::int64_t> counters() const override { return source_->counters(); }
  std::vector<std::string> replaced_files() const override { return source_->replaced_files(); }

 private:
  std::unique_ptr<BatchSource> source_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  at::TensorOptions options_;
  std::optional<HostBatch> out_;
};

class SyntheticFeed final : public BatchFeed {
 public:
  SyntheticFeed(const ArmConfig& arm, std::uint64_t seed, at::Device device) {
    const std::vector<std::int64_t> shape = shape_of(arm);
    at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
    const auto floats = at::TensorOptions().dtype(at::kFloat);
    const at::Tensor images =
        arm.input.dtype == SampleType::kUint8
            ? at::randint(0, 256, shape, generator, at::TensorOptions().dtype(at::kByte))
            : at::randn(shape, generator, floats);
    batch_.images = images.contiguous(at::MemoryFormat::ChannelsLast).to(device);
    batch_.labels = at::randint(0, arm.workload.classes, {shape[0]}, generator,
                                at::TensorOptions().dtype(at::kLong))
                        .to(device);
  }

  void start(std::int64_t /*first*/) override {}
  ArrivedBatch next() override { return batch_; }
  void release() override {}
  void park() override {}
  std::optional<std::int64_t> ready() const override { return std::nullopt; }
  std::map<std::string, std::int64_t> counters() const override { return {}; }

 private:
  ArrivedBatch batch_;
};

}  // namespace

std::unique_ptr<BatchFeed> make_loader_feed(std::unique_ptr<BatchSource> source,
                                            const ArmConfig& arm) {
  return std::make_unique<LoaderFeed>(std::move(source), arm);
}

std::unique_ptr<BatchFeed> make_synthetic_feed(const ArmConfig& arm, std::uint64_t seed,
                                               at::Device device) {
  return std::make_unique<SyntheticFeed>(arm, seed, device);
}

}  // namespace traceml
