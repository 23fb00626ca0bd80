#include "workloads/torch/torch_workload.h"

#include <ATen/Version.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <sstream>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/runner/rank_cores.h"
#include "workloads/torch/batch_feed.h"
#include "workloads/torch/batch_transform.h"
#include "workloads/torch/dataset_inputs.h"
#include "workloads/torch/intra_op_threads.h"
#include "workloads/torch/no_exchange.h"
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

void require_real_device(const WorkloadConfig& config, bool on_gpu) {
  if (config.device == Device::kFake) {
    throw UsageError("workload.device: fake is for model: spin; use cpu or auto");
  }
  if (config.device == Device::kCuda && !on_gpu) {
    throw UsageError("workload.device: cuda, but this rank has no GPU; use cpu or auto");
  }
}

constexpr int kStepsBeforeCapture = 3;  // then cuDNN and the allocator have settled

// "18.4 MiB in 0.41 ms, mean of 288".
std::string text_of(const CopyTimes& copies) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << static_cast<double>(copies.bytes_each) / (1 << 20)
       << " MiB in " << std::setprecision(3)
       << std::chrono::duration<double, std::milli>(copies.total).count() /
              static_cast<double>(copies.count)
       << " ms, mean of " << copies.count;
  return text.str();
}

void set_thread_counts(int intra_op) {
  at::set_num_threads(intra_op);
  // libtorch allows one change in the life of a process.
  if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);
}

class TorchWorkload final : public Workload {
 public:
  TorchWorkload(const Plan& plan, Transport& transport, Collective& collective,
                std::unique_ptr<InputProvider> inputs, std::optional<int> gpu)
      : config_(plan.config),
        transport_(transport),
        collective_(collective),
        inputs_(std::move(inputs)),
        arms_(plan.config.arms.size()),
        most_steps_(most_steps_in_a_row(plan)) {
    for (const ArmConfig& arm : config_.arms) require_real_device(arm.workload, gpu.has_value());
    threads_ =
        intra_op_threads(config_.workload.threads, gather_cores(transport_), transport_.rank());
    set_thread_counts(threads_);
    device_ = translated([&] {
      return gpu ? make_cuda_device(*gpu, config_.workload.cudnn_benchmark) : make_cpu_device();
    });
    for (const ArmConfig& arm : config_.arms) device_->require_fit(arm.workload);
  }

  void tell_progress_to(std::function<void()> progress) override {
    inputs_->tell_progress_to(std::move(progress));
  }

  void prepare(ArmIndex index) override {
    translated([&] {
      const ArmConfig& arm = config_.arms.at(static_cast<std::size_t>(index.value));
      device_->use_precision(arm.workload.precision);
      Arm& made = arm_at(index);
      made.precision = arm.workload.precision;
      made.feed = make_feed(arm);
      made.transform.emplace(arm, *device_, all_input_free());
      made.replica = &replica_for(arm.workload);
      if (arm.workload.execution == Execution::kGraph) capture(arm, made);
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

  void begin(ArmIndex index, std::int64_t first_batch, Instrument instrument) override {
    translated([&] {
      current_ = &arm_at(index);
      device_->use_precision(current_->precision);
      current_->replica->restore();
      first_loss_.reset();
      last_loss_.reset();
      first_loss_is_next_ = false;
      collective_.take_records();
      // What a device records costs it time: of an arm without events it records nothing.
      const bool on_device = device_->device().is_cuda();
      const bool records = on_device ? marks_device(instrument) : instrument != Instrument::kNone;
      collective_.set_recording(records);
      current_->feed->time_copies(on_device && records);
      current_->feed->record(
          instrument == Instrument::kNone ? 0 : static_cast<std::size_t>(most_steps_));
      current_->feed->start(first_batch);
    });
  }

  void step(PhaseMarks* marks) override {
    translated([&] {
      Arm& arm = *current_;
      if (arm.graph) {
        training_step(*arm.graph, *arm.feed, *arm.transform, marks);
        last_loss_ = arm.graph->loss();
        // The next launch writes where this loss lies.
        if (first_loss_is_next_) first_loss_ = first_loss_of_graph_.copy_(last_loss_);
      } else {
        last_loss_ = training_step(arm.replica->trained(), *arm.feed, *arm.transform, marks);
        if (first_loss_is_next_) first_loss_ = last_loss_;
      }
      first_loss_is_next_ = false;
    });
  }

  void finish() override {
    translated([&] { device_->finish(); });
  }

  std::optional<std::int64_t> queue_depth() const override { return current_->feed->ready(); }

  void mark_first_loss() override {
    first_loss_is_next_ = true;
    allocations_before_ = device_->driver_allocations();
  }

  WindowLosses end() override {
    return translated([&] {
      current_->feed->park();
      if (allocations_before_) {
        allocations_in_windows_ += device_->driver_allocations() - *allocations_before_;
      }
      allocations_before_.reset();
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

  std::vector<InputRecord> take_input_records() override { return current_->feed->records(); }

  std::vector<GraphBorder> graph_borders() const override {
    return current_->graph ? current_->graph->borders() : std::vector<GraphBorder>{};
  }

  DeviceQueue training_queue() const override { return device_->queue(); }

  std::optional<MemoryPeaks> take_memory_peaks() override { return device_->take_peaks(); }

  std::optional<std::uint64_t> parameters_digest() override {
    std::optional<std::uint64_t> digest;
    for (const auto& replica : replicas_) {
      if (replica->config().exchange == Exchange::kNone) continue;  // ranks part by design
      digest = digest.value_or(0) * 31 + replica->digest();
    }
    return digest;
  }

  std::map<std::string, std::string> facts() const override {
    std::map<std::string, std::string> facts = inputs_->facts();
    facts.merge(device_->facts());
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      if (!arms_[i].feed) continue;
      const CopyTimes copies = arms_[i].feed->copies();
      if (copies.count > 0) facts["copy_to_device." + config_.arms[i].name] = text_of(copies);
      for (const auto& [name, text] : arms_[i].feed->facts()) {
        facts[name + "." + config_.arms[i].name] = text;
      }
    }
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
    if (device_->device().is_cuda()) {
      sums["device_allocations_in_windows"] = allocations_in_windows_;
    }
    for (const Arm& arm : arms_) {
      if (!arm.feed) continue;
      for (const auto& [name, count] : arm.feed->counters()) sums[name] += count;
    }
    return sums;
  }

 private:
  std::unique_ptr<BatchFeed> make_feed(const ArmConfig& arm) {
    if (arm.input.source == Source::kSynthetic) {
      return make_synthetic_feed(arm, synthetic_seed(), device_->device());
    }
    if (arm.input.decode != Decode::kCpu) return device_->decoding_feed_of(*inputs_, arm);
    return device_->feed_of(inputs_->open(arm), arm);
  }

  struct Arm {
    std::unique_ptr<BatchFeed> feed;
    std::optional<BatchTransform> transform;
    Replica* replica = nullptr;
    Precision precision = Precision::kFp32;
    std::unique_ptr<StepGraph> graph;  // null: eager
  };

  // Then no arm's reference has to do what a loader's batch needs: references are matched.
  bool all_input_free() const {
    return std::all_of(config_.arms.begin(), config_.arms.end(),
                       [](const ArmConfig& arm) { return arm.input.source == Source::kSynthetic; });
  }

  // Collective. Steps on any batch; every window begins from the snapshot.
  void capture(const ArmConfig& arm, Arm& made) {
    const bool copies = made.transform->copies();
    const ArrivedBatch place = copies ? made.transform->place() : made.feed->next();
    if (copies) {
      place.images.zero_();
      place.labels.zero_();
    }
    const StepBody body = [&](PhaseMarks* marks) {
      return train_on(made.replica->trained(), place, marks);
    };
    for (int step = 0; step < kStepsBeforeCapture; ++step) body(nullptr);
    device_->finish();
    made.graph = device_->capture(body, marks_device(arm.instrument));
    first_loss_of_graph_ = at::empty_like(made.graph->loss());
  }

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

  Replica& replica_for(const WorkloadConfig& config) {
    for (const auto& replica : replicas_) {
      if (replica->serves(config)) return *replica;
    }
    auto network = make_resnet(config.model, config.classes, config_.seed);
    Collective& exchange = config.exchange == Exchange::kNone ? no_exchange_ : collective_;
    replicas_.push_back(std::make_unique<Replica>(std::move(network), config, device_->device(),
                                                  transport_, exchange, device_->queue()));
    return *replicas_.back();
  }

  static std::optional<double> value_of(const at::Tensor& loss) {
    if (!loss.defined()) return std::nullopt;
    return loss.item<double>();
  }

  Config config_;
  Transport& transport_;
  Collective& collective_;
  NoExchange no_exchange_;
  std::unique_ptr<InputProvider> inputs_;
  int threads_ = 1;
  std::unique_ptr<TrainingDevice> device_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::vector<Arm> arms_;
  std::int64_t most_steps_;  // in a row
  Arm* current_ = nullptr;
  at::Tensor first_loss_;
  at::Tensor last_loss_;
  at::Tensor first_loss_of_graph_;
  bool first_loss_is_next_ = false;
  std::optional<std::int64_t> allocations_before_;
  std::int64_t allocations_in_windows_ = 0;
};

}  // namespace

std::optional<TorchFacts> torch_facts() {
  return TorchFacts{TORCH_VERSION, at::get_cpu_capability()};
}

std::unique_ptr<Workload> make_torch_workload(const Plan& plan, Transport& transport,
                                              Collective& collective, std::optional<int> gpu,
                                              DataSets listed) {
  const std::vector<RankCores> cores = gather_cores(transport);
  const auto sharing = static_cast<int>(ranks_sharing_cores(cores, transport.rank()).size());
  const auto& own = cores[static_cast<std::size_t>(transport.rank().value)].cores;
  return make_torch_workload(
      plan, transport, collective, gpu,
      make_dataset_inputs(plan.config.seed, transport.rank(), transport.world_size(),
                          std::move(listed), loader_cores(own, sharing)));
}

std::unique_ptr<Workload> make_torch_workload(const Plan& plan, Transport& transport,
                                              Collective& collective, std::optional<int> gpu,
                                              std::unique_ptr<InputProvider> inputs) {
  return std::make_unique<TorchWorkload>(plan, transport, collective, std::move(inputs), gpu);
}

}  // namespace traceml
