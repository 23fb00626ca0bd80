#include "workloads/torch/batch_feed.h"

#include <ATen/CPUGeneratorImpl.h>

#include <utility>
#include <vector>

#include "workloads/torch/loader_tensors.h"

namespace traceml {
namespace {

class LoaderFeed final : public BatchFeed {
 public:
  LoaderFeed(std::unique_ptr<BatchSource> source, const ArmConfig& arm)
      : source_(std::move(source)), tensors_(arm) {}

  void start(std::int64_t first) override { source_->start(first); }

  ArrivedBatch next() override {
    out_ = source_->next();
    tensors_.require_full(*out_);
    return tensors_.in_place(*out_);
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
  void record(std::size_t most) override { source_->record(most); }
  std::vector<InputRecord> records() override { return source_->records(); }
  std::vector<std::string> replaced_files() const override { return source_->replaced_files(); }

 private:
  std::unique_ptr<BatchSource> source_;
  LoaderTensors tensors_;
  std::optional<HostBatch> out_;
};

class SyntheticFeed final : public BatchFeed {
 public:
  SyntheticFeed(const ArmConfig& arm, std::uint64_t seed, at::Device device) {
    const LoaderTensors tensors(arm);
    const std::vector<std::int64_t>& shape = tensors.shape();
    at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
    const auto floats = at::TensorOptions().dtype(at::kFloat);
    const at::Tensor images =
        tensors.type() == at::kByte
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
