#include "workloads/torch/gpu_feed_cuda.h"

#include <map>
#include <utility>

#include "workloads/torch/loader_tensors.h"

namespace traceml {
namespace {

class GpuFeed final : public BatchFeed {
 public:
  GpuFeed(std::unique_ptr<GpuBatchSource> source, const ArmConfig& arm, at::Device device)
      : source_(std::move(source)), tensors_(arm), device_(device) {}

  void start(std::int64_t first) override { source_->start(first); }

  ArrivedBatch next() override {
    out_ = source_->next();
    return tensors_of(*out_);
  }

  bool decodes() const override { return source_->decodes_on_queue(); }
  void decode() override { source_->decode(*out_); }

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
  std::map<std::string, std::string> facts() const override {
    return {{"gpu_decode", source_->facts()}};
  }

 private:
  // A slot stays where it is.
  const ArrivedBatch& tensors_of(const GpuBatch& batch) {
    const auto found = by_slot_.find(batch.slot);
    if (found != by_slot_.end()) return found->second;
    return by_slot_.emplace(batch.slot, tensors_.on_device(batch.images, batch.labels, device_))
        .first->second;
  }

  std::unique_ptr<GpuBatchSource> source_;
  LoaderTensors tensors_;
  at::Device device_;
  std::map<int, ArrivedBatch> by_slot_;
  std::optional<GpuBatch> out_;
};

}  // namespace

std::unique_ptr<BatchFeed> make_gpu_feed(std::unique_ptr<GpuBatchSource> source,
                                         const ArmConfig& arm, at::Device device) {
  return std::make_unique<GpuFeed>(std::move(source), arm, device);
}

}  // namespace traceml
