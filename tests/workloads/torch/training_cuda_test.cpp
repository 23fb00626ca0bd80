#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/local/single_rank.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/core/campaign.h"
#include "harness/runner/event_sampler.h"
#include "harness/runner/step_recorder.h"
#include "tests/gpu_test.h"
#include "tests/workloads/torch/small_network.h"
#include "workloads/torch/replica.h"
#include "workloads/torch/resnet.h"
#include "workloads/torch/torch_workload.h"

namespace traceml {
namespace {

constexpr std::int64_t kImages = 8;
constexpr std::int64_t kSize = 32;

WorkloadConfig small_config(Precision precision = Precision::kFp32) {
  WorkloadConfig config;
  config.model = "resnet18";
  config.classes = 5;
  config.image_size = kSize;
  config.batch_size = kImages;
  config.precision = precision;
  config.bucket_mb = 1;
  config.optimizer = {0.01, 0.9, 1e-4};
  return config;
}

ArrivedBatch batch_on(at::Device device) {
  const at::Tensor images = torch::linspace(-2, 2, kImages * 3 * kSize * kSize).mul(50).cos();
  return {images.reshape({kImages, 3, kSize, kSize})
              .contiguous(at::MemoryFormat::ChannelsLast)
              .to(device),
          torch::arange(kImages).remainder(5).to(device)};
}

class TrainingOnGpu : public testing::GpuTest {
 protected:
  TrainingOnGpu() {
    if (has_gpu()) device_ = make_cuda_device(0, true);
  }

  // A replica on `device` after `steps` steps on one batch, eager or as a graph.
  at::Tensor parameters_after(TrainingDevice& device, std::shared_ptr<Network> network, int steps,
                              bool as_graph, double* loss = nullptr) {
    device.use_precision(Precision::kFp32);
    Replica replica(std::move(network), small_config(), device.device(), transport_, collective_,
                    device.queue());
    const ArrivedBatch batch = batch_on(device.device());
    const auto body = [&](PhaseMarks* marks) { return train_on(replica.trained(), batch, marks); };
    std::unique_ptr<StepGraph> graph;
    if (as_graph) {
      for (int step = 0; step < 3; ++step) body(nullptr);
      device.finish();
      graph = device.capture(body, false);
      replica.restore();
    }
    at::Tensor last;
    for (int step = 0; step < steps; ++step) {
      if (graph) {
        graph->launch(nullptr);
        last = graph->loss();
      } else {
        last = body(nullptr);
      }
    }
    device.finish();
    if (loss != nullptr) *loss = last.item<double>();
    return replica.trained().sgd.parameters().cpu();
  }

  static double relative_error(const at::Tensor& values, const at::Tensor& expected) {
    return ((values - expected).abs().max() / expected.abs().max()).item<double>();
  }

  SingleTransport transport_;
  SingleCollective collective_;
  std::unique_ptr<TrainingDevice> device_;
};

TEST_F(TrainingOnGpu, GivesTheParametersOfTheCpuAfterFiveSteps) {
  torch::manual_seed(1);
  const auto on_gpu = std::make_shared<testing::SmallNetwork>(5);
  torch::manual_seed(1);
  const auto on_cpu = std::make_shared<testing::SmallNetwork>(5);
  const auto cpu = make_cpu_device();
  const at::Tensor expected = parameters_after(*cpu, on_cpu, 5, false);
  EXPECT_LT(relative_error(parameters_after(*device_, on_gpu, 5, false), expected), 1e-5);
}

// Without batch norm, which over eight values makes rounding grow with every step.
TEST_F(TrainingOnGpu, GivesTheParametersOfEagerStepsAsAGraphAfterTwenty) {
  const auto after = [&](int steps, bool as_graph) {
    torch::manual_seed(1);
    return parameters_after(*device_, std::make_shared<testing::SmallNetwork>(5), steps, as_graph);
  };
  const at::Tensor eager = after(20, false);
  EXPECT_LT(relative_error(after(20, true), eager), 1e-5);
  EXPECT_GT(relative_error(after(0, false), eager), 1e-3) << "it would pass without training";
}

TEST_F(TrainingOnGpu, LearnsItsImages) {
  double loss = 0;
  parameters_after(*device_, make_resnet("resnet18", 5, 3), 100, false, &loss);
  EXPECT_LT(loss, 0.1);
}

TEST_F(TrainingOnGpu, KeepsParametersAndGradientsInChannelsLast) {
  Replica replica(make_resnet("resnet18", 5, 3), small_config(), device_->device(), transport_,
                  collective_, device_->queue());
  const ArrivedBatch batch = batch_on(device_->device());
  int weights = 0;
  for (const at::Tensor& parameter : replica.trained().network.parameters()) {
    if (parameter.dim() != 4) continue;
    ++weights;
    EXPECT_TRUE(parameter.is_contiguous(at::MemoryFormat::ChannelsLast));
    // As backward makes them: only then does autograd keep them without a copy.
    parameter.register_hook([](const at::Tensor& gradient) {
      EXPECT_TRUE(gradient.is_contiguous(at::MemoryFormat::ChannelsLast));
    });
  }
  EXPECT_EQ(weights, 20);
  train_on(replica.trained(), batch, nullptr);
  device_->finish();
}

// A whole workload of one input-free arm.
struct Job {
  Job(Execution execution, Precision precision) {
    ArmConfig arm;
    arm.name = "reference";
    arm.workload = small_config(precision);
    arm.workload.execution = execution;
    arm.workload.threads = 1;
    arm.input.source = Source::kSynthetic;
    plan.config.arms = {arm};
    plan.config.workload = arm.workload;
    workload = make_torch_workload(plan, transport, collective, 0, DataSets{});
    workload->prepare(ArmIndex{0});
    workload->begin(ArmIndex{0}, 0, Instrument::kNone);
  }

  Plan plan;
  SingleTransport transport;
  SingleCollective collective;
  std::unique_ptr<Workload> workload;
};

class MarkedStepsOnGpu : public testing::GpuTest,
                         public ::testing::WithParamInterface<std::tuple<Execution, Precision>> {};

TEST_P(MarkedStepsOnGpu, HaveADeviceTimeForEveryPhaseAndOfTheWholeWindow) {
  constexpr int kSteps = 24;
  Job job(std::get<0>(GetParam()), std::get<1>(GetParam()));
  const auto device = make_cuda_device_clock(0, 16 * kSteps);
  SteadyHostClock clock;
  StepRecorder recorder(clock, kSteps);
  for (int warm = 0; warm < 4; ++warm) job.workload->step(nullptr);
  job.workload->finish();
  job.workload->mark_first_loss();

  recorder.begin_window(device.get(), job.workload->training_queue());
  EventSampler sampler(*device, clock, recorder);
  const Nanos begin = clock.now();
  for (int step = 0; step < kSteps; ++step) {
    recorder.begin_step();
    job.workload->step(&recorder);
    recorder.leave();
    recorder.end_step();
  }
  job.workload->finish();
  const Nanos wall = clock.now() - begin;
  sampler.drain(std::chrono::seconds(2));

  EXPECT_EQ(sampler.unresolved(), 0);
  const auto records = recorder.records(ArmIndex{0}, WindowIndex{0}, 0, 0, sampler.times());
  ASSERT_EQ(records.size(), kSteps);
  Nanos traced{};
  for (const StepRecord& record : records) {
    for (const Phase phase : {Phase::kInputWait, Phase::kNormalize, Phase::kForward, Phase::kLoss,
                              Phase::kBackward, Phase::kOptimizer, Phase::kTraced}) {
      const auto& time = record.phases[index_of(phase)];
      ASSERT_TRUE(time && time->device) << name_of(phase);
      EXPECT_GE(*time->device, Nanos{0}) << name_of(phase);
    }
    traced += *record.phases[index_of(Phase::kTraced)]->device;
  }
  EXPECT_LE(traced, wall);
  const WindowLosses losses = job.workload->end();
  ASSERT_TRUE(losses.first && losses.last);
  EXPECT_LT(*losses.last, *losses.first) << "it trains";
  EXPECT_EQ(job.workload->counters().at("device_allocations_in_windows"), 0);
}

INSTANTIATE_TEST_SUITE_P(All, MarkedStepsOnGpu,
                         ::testing::Combine(::testing::Values(Execution::kEager, Execution::kGraph),
                                            ::testing::Values(Precision::kFp32, Precision::kTf32,
                                                              Precision::kBf16)));

TEST_F(TrainingOnGpu, TellsThePeakOfItsMemory) {
  Job job(Execution::kEager, Precision::kFp32);
  job.workload->step(nullptr);
  job.workload->finish();
  const auto peaks = job.workload->take_memory_peaks();
  ASSERT_TRUE(peaks);
  EXPECT_GT(peaks->allocated_peak_bytes, 3 * 11'000'000 * 4) << "parameters, gradients and momenta";
  EXPECT_GE(peaks->reserved_peak_bytes, peaks->allocated_peak_bytes);
}

}  // namespace
}  // namespace traceml
