#include <cupti.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/local/single_rank.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/runner/event_sampler.h"
#include "harness/runner/step_recorder.h"
#include "tests/gpu_test.h"
#include "tests/workloads/torch/pattern_source.h"
#include "workloads/torch/torch_workload.h"

namespace traceml {
namespace {

// The CUDA runtime calls of this process while it counts, by name without the version; those of the
// training thread apart. One in a process: CUPTI has one subscriber.
class RuntimeCalls {
 public:
  RuntimeCalls() {
    cuptiSubscribe(&subscriber_, &on_call, this);
    cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API);
  }
  ~RuntimeCalls() { cuptiUnsubscribe(subscriber_); }
  RuntimeCalls(const RuntimeCalls&) = delete;
  RuntimeCalls& operator=(const RuntimeCalls&) = delete;

  void start() {
    training_thread_ = std::this_thread::get_id();
    counting_ = true;
  }
  void stop() { counting_ = false; }

  std::map<std::string, int> all() { return all_; }
  std::map<std::string, int> of_training_thread() { return of_training_thread_; }

 private:
  static void on_call(void* self, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
    const auto* call = static_cast<const CUpti_CallbackData*>(data);
    if (call->callbackSite != CUPTI_API_ENTER) return;
    static_cast<RuntimeCalls*>(self)->count(call->functionName);
  }

  void count(const std::string& name) {
    if (!counting_) return;
    const std::lock_guard lock(mutex_);
    ++all_[name];
    if (std::this_thread::get_id() == training_thread_) ++of_training_thread_[name];
  }

  CUpti_SubscriberHandle subscriber_{};
  std::mutex mutex_;
  std::atomic<bool> counting_{false};
  std::thread::id training_thread_;
  std::map<std::string, int> all_;
  std::map<std::string, int> of_training_thread_;
};

// Waits for the device, or asks the driver for memory.
bool is_loud(const std::string& name) {
  for (const char* part : {"Synchronize", "Malloc", "Free", "HostAlloc", "HostRegister"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return name == "cudaMemcpy" || name.starts_with("cudaEventCreate");
}

std::map<std::string, int> loud(const std::map<std::string, int>& calls) {
  std::map<std::string, int> found;
  for (const auto& [name, count] : calls) {
    if (is_loud(name)) found[name] = count;
  }
  return found;
}

// Runs one window of a small network behind a loader of patterns, and counts.
class QuietWindow : public testing::GpuTest, public ::testing::WithParamInterface<Execution> {
 protected:
  static constexpr int kSteps = 12;

  // `recorder`: null in a bare window.
  void run_window(Instrument instrument, StepRecorder* recorder) {
    ArmConfig arm;
    arm.name = "shipped";
    arm.workload.model = "resnet18";
    arm.workload.classes = 5;
    arm.workload.image_size = 64;
    arm.workload.batch_size = 8;
    arm.workload.threads = 1;
    arm.workload.execution = GetParam();
    Plan plan;
    plan.config.arms = {arm};
    plan.config.workload = arm.workload;
    SingleTransport transport;
    SingleCollective collective;
    const auto workload = make_torch_workload(plan, transport, collective, 0,
                                              std::make_unique<testing::PatternInputs>());
    workload->prepare(ArmIndex{0});
    workload->begin(ArmIndex{0}, 0, instrument);
    for (int warm = 0; warm < 4; ++warm) workload->step(nullptr);
    workload->finish();

    workload->mark_first_loss();
    std::optional<EventSampler> sampler;
    if (recorder != nullptr) {
      recorder->begin_window(device_.get(), workload->training_queue());
      sampler.emplace(*device_, clock_, *recorder);
    }
    calls_.start();
    for (int step = 0; step < kSteps; ++step) {
      if (recorder != nullptr) recorder->begin_step();
      workload->step(recorder);
      if (recorder != nullptr) {
        recorder->leave();
        recorder->end_step(workload->take_memory_peaks());
      }
    }
    calls_.stop();
    workload->finish();
    if (sampler) {
      sampler->drain(std::chrono::seconds(2));
      EXPECT_EQ(sampler->unresolved(), 0);
    }
    workload->end();
  }

  void expect_silence() {
    EXPECT_THAT(loud(calls_.all()), ::testing::IsEmpty());
    EXPECT_EQ(calls_.of_training_thread().count("cudaEventQuery"), 0U);
    EXPECT_GT(calls_.of_training_thread()["cudaMemcpyAsync"], 0) << "it counts";
  }

  RuntimeCalls calls_;
  SteadyHostClock clock_;
  std::unique_ptr<DeviceClock> device_;
};

TEST_P(QuietWindow, WaitsForNothingAndAllocatesNothingOnTheDevice) {
  device_ = make_cuda_device_clock(0, 16 * kSteps);
  StepRecorder recorder(clock_, kSteps);
  run_window(Instrument::kEvents, &recorder);
  expect_silence();
  EXPECT_GT(calls_.all()["cudaEventQuery"], 0) << "the sampler's";
}

TEST_P(QuietWindow, OfABareArmIsAsQuietAndHasNoSampler) {
  run_window(Instrument::kNone, nullptr);
  expect_silence();
  EXPECT_EQ(calls_.all().count("cudaEventQuery"), 0U);
}

INSTANTIATE_TEST_SUITE_P(All, QuietWindow, ::testing::Values(Execution::kEager, Execution::kGraph),
                         [](const ::testing::TestParamInfo<Execution>& test) {
                           return std::string(test.param == Execution::kGraph ? "graph" : "eager");
                         });

}  // namespace
}  // namespace traceml
