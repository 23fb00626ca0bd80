#include "workloads/torch/torch_workload.h"

#include <ATen/Version.h>
#include <torch/torch.h>

#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "workloads/torch/batch_feed.h"
#include "workloads/torch/batch_transform.h"
#include "workloads/torch/dataset_inputs.h"
#include "workloads/torch/intra_op_threads.h"
#include "workloads/torch/replica.h"
#include "workloads/torch/resnet.h"

namespace traceml {
namespace {

// libtorch's own errors become the one sentence of a RunError, without its stack trace.
template <typename Call>
decltype(auto) translated(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw RunError("libtorch: " + text.substr(0, text.find('\n')));
  }
}

at::Device device_for(const WorkloadConfig& config) {
  if (config.device == Device::kCuda) throw NotBuilt("training on CUDA", "TRACEML_WITH_CUDA");
  if (config.device == Device::kFake) {
    throw UsageError("workload.device: fake is for model: spin; use cpu or auto");
  }
  if (config.precision == Precision::kTf32) {
    throw UsageError(
        "workload.precision: tf32 needs a CUDA device and this run is on the CPU; use fp32 or "
        "bf16");
  }
  return at::kCPU;
}

void set_thread_counts(int intra_op) {
  at::set_num_threads(intra_op);
  // libtorch allows one change in the life of a process.
  if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
}

class TorchWorkload final : public Workload {
 public:
  TorchWorkload(const Plan& plan, Transport& transport, Collective& collective,
                std::unique_ptr<InputProvider> inputs)
      : config_(plan.config),
        transport_(transport),
        collective_(collective),
        inputs_(std::move(inputs)),
        arms_(plan.config.arms.size()) {
    for (const ArmConfig& arm : config_.arms) device_for(arm.workload);
    threads_ =
        intra_op_threads(config_.workload.threads, gather_cores(transport_), transport_.rank());
    set_thread_counts(threads_);
  }

  void tell_progress_to(std::function<void()> progress) override {
    inputs_->tell_progress_to(std::move(progress));
  }

  void prepare(ArmIndex index) override {
    translated([&] {
      const ArmConfig& arm = config_.arms.at(static_cast<std::size_t>(index.value));
      const at::Device device = device_for(arm.workload);
      Arm& made = arm_at(index);
      made.feed = arm.input.source == Source::kSynthetic
                      ? make_synthetic_feed(arm, synthetic_seed(), device)
                      : make_loader_feed(inputs_->open(arm), arm);
      made.transform.emplace(arm, device);
      made.replica = &replica_for(arm.workload, device);
    });
  }

  BatchContract contract(ArmIndex index) override {
    return translated([&] {
      Arm& arm = arm_at(index);
      arm.feed->start(0);
      const BatchContract contract = contract_of(arm.feed->next(), *arm.transform);
      arm.feed->park();
      return contract;
    });
  }

  void begin(ArmIndex index, std::int64_t first_batch, bool record_collectives) override {
    translated([&] {
      current_ = &arm_at(index);
      current_->replica->restore();
      first_loss_.reset();
      last_loss_.reset();
      first_loss_is_next_ = false;
      collective_.take_records();
      collective_.set_recording(record_collectives);
      current_->feed->start(first_batch);
    });
  }

  void step(PhaseMarks* marks) override {
    translated([&] {
      last_loss_ =
          training_step(current_->replica->trained(), *current_->feed, *current_->transform, marks);
      if (first_loss_is_next_) first_loss_ = last_loss_;
      first_loss_is_next_ = false;
    });
  }

  // On a CPU each step ends when its work is done and its gradients have been exchanged.
  void finish() override {}

  std::optional<std::int64_t> queue_depth() const override { return current_->feed->ready(); }

  void mark_first_loss() override { first_loss_is_next_ = true; }

  WindowLosses end() override {
    return translated([&] {
      current_->feed->park();
      return WindowLosses{value_of(first_loss_), value_of(last_loss_)};
    });
  }

  std::vector<CollectiveRecord> take_collectives() override {
    std::vector<CollectiveRecord> records = collective_.take_records();
    const std::size_t buckets = current_->replica->bucket_count();
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].step = StepIndex{static_cast<std::int64_t>(i / buckets)};
    }
    return records;
  }

  DeviceQueue training_queue() const override { return {}; }

  std::uint64_t parameters_digest() override {
    std::uint64_t digest = 0;
    for (const auto& replica : replicas_) digest = digest * 31 + replica->digest();
    return digest;
  }

  std::map<std::string, std::string> facts() const override {
    std::map<std::string, std::string> facts = inputs_->facts();
    facts["libtorch"] = TORCH_VERSION;
    facts["intra_op_threads"] = std::to_string(threads_);
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      if (arms_[i].replica != nullptr) add_facts(config_.arms[i].name, arms_[i], &facts);
    }
    return facts;
  }

  std::vector<std::string> replaced_files() const override {
    std::vector<std::string> all;
    for (const Arm& arm : arms_) {
      if (!arm.feed) continue;
      for (std::string& sentence : arm.feed->replaced_files()) all.push_back(std::move(sentence));
    }
    return all;
  }

  std::map<std::string, std::int64_t> counters() const override {
    std::map<std::string, std::int64_t> sums;
    for (const Arm& arm : arms_) {
      if (!arm.feed) continue;
      for (const auto& [name, count] : arm.feed->counters()) sums[name] += count;
    }
    return sums;
  }

 private:
  struct Arm {
    std::unique_ptr<BatchFeed> feed;
    std::optional<BatchTransform> transform;
    Replica* replica = nullptr;
  };

  // Plain names hold what the first arm has; others where an arm differs.
  static void add_facts(const std::string& name, const Arm& arm,
                        std::map<std::string, std::string>* facts) {
    const std::string& model = arm.replica->config().model;
    const std::string parameters = std::to_string(arm.replica->parameter_count());
    const bool equal = facts->emplace("model", model).first->second == model;
    if (facts->emplace("parameters", parameters).first->second != parameters || !equal) {
      (*facts)["model." + name] = model;
      (*facts)["parameters." + name] = parameters;
    }
  }

  Arm& arm_at(ArmIndex index) { return arms_.at(static_cast<std::size_t>(index.value)); }

  // Ranks train on different batches, so that their gradients differ as with a data set.
  std::uint64_t synthetic_seed() const {
    return config_.seed + static_cast<std::uint64_t>(transport_.rank().value) + 1;
  }

  Replica& replica_for(const WorkloadConfig& config, at::Device device) {
    for (const auto& replica : replicas_) {
      if (replica->serves(config)) return *replica;
    }
    auto network = make_resnet(config.model, config.classes, config_.seed);
    replicas_.push_back(
        std::make_unique<Replica>(std::move(network), config, device, transport_, collective_));
    return *replicas_.back();
  }

  static std::optional<double> value_of(const at::Tensor& loss) {
    if (!loss.defined()) return std::nullopt;
    return loss.item<double>();
  }

  Config config_;
  Transport& transport_;
  Collective& collective_;
  std::unique_ptr<InputProvider> inputs_;
  int threads_ = 1;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<Arm> arms_;
  Arm* current_ = nullptr;
  at::Tensor first_loss_;
  at::Tensor last_loss_;
  bool first_loss_is_next_ = false;
};

}  // namespace

std::optional<TorchFacts> torch_facts() {
  return TorchFacts{TORCH_VERSION, at::get_cpu_capability()};
}

std::unique_ptr<Workload> make_torch_workload(const Plan& plan, Transport& transport,
                                              Collective& collective, DataSets listed) {
  return make_torch_workload(plan, transport, collective,
                             make_dataset_inputs(plan.config.seed, transport.rank(),
                                                 transport.world_size(), std::move(listed)));
}

std::unique_ptr<Workload> make_torch_workload(const Plan& plan, Transport& transport,
                                              Collective& collective,
                                              std::unique_ptr<InputProvider> inputs) {
  return std::make_unique<TorchWorkload>(plan, transport, collective, std::move(inputs));
}

}  // namespace traceml
