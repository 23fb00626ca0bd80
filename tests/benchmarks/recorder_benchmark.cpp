// What instrumentation costs the training thread. A phase scope is one enter(): it ends a phase and
// begins the next.

#include <benchmark/benchmark.h>

#include "harness/backends/local/fake_device_clock.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/runner/mark_resolver.h"
#include "harness/runner/step_recorder.h"

namespace traceml {
namespace {

constexpr std::size_t kSteps = 512;
constexpr Phase kPhases[] = {Phase::kInputWait, Phase::kH2d,  Phase::kNormalize,
                             Phase::kForward,   Phase::kLoss, Phase::kBackward,
                             Phase::kOptimizer};

void step(PhaseMarks& marks) {
  for (const Phase phase : kPhases) marks.enter(phase);
  marks.leave();
}

void BM_HostClockCall(benchmark::State& state) {
  SteadyHostClock clock;
  HostClock& port = clock;
  for (auto _ : state) benchmark::DoNotOptimize(port.now());
}
BENCHMARK(BM_HostClockCall);

// Time per iteration is that of one phase scope.
void BM_PhaseScopeWithoutDevice(benchmark::State& state) {
  SteadyHostClock clock;
  StepRecorder recorder(clock, kSteps);
  std::size_t steps = kSteps;
  std::size_t phase = std::size(kPhases);
  PhaseMarks& marks = recorder;
  for (auto _ : state) {
    if (phase == std::size(kPhases)) {
      recorder.end_step();
      if (++steps >= kSteps) {
        recorder.begin_window(nullptr, {});
        steps = 0;
      }
      recorder.begin_step();
      phase = 0;
    }
    marks.enter(kPhases[phase++]);
  }
}
BENCHMARK(BM_PhaseScopeWithoutDevice);

// A whole step: seven phases, the border at its end and its publication.
void BM_RecordedStep(benchmark::State& state) {
  SteadyHostClock clock;
  StepRecorder recorder(clock, kSteps);
  std::size_t steps = kSteps;
  for (auto _ : state) {
    if (++steps >= kSteps) {
      recorder.begin_window(nullptr, {});
      steps = 0;
    }
    recorder.begin_step();
    step(recorder);
    recorder.end_step();
  }
}
BENCHMARK(BM_RecordedStep);

// The same step with a bare arm's null marks.
void BM_BareStep(benchmark::State& state) {
  PhaseMarks* marks = nullptr;
  for (auto _ : state) {
    benchmark::DoNotOptimize(marks);
    for (const Phase phase : kPhases) enter(marks, phase);
    leave(marks);
  }
}
BENCHMARK(BM_BareStep);

// The sampler's work for one step with eight marks, off the training thread.
void BM_ResolveStep(benchmark::State& state) {
  SteadyHostClock clock;
  FakeDeviceClock device(clock, 64);
  for (auto _ : state) {
    state.PauseTiming();
    StepRecorder recorder(clock, 1);
    recorder.begin_window(&device, {});
    MarkResolver resolver(device, recorder);
    recorder.begin_step();
    step(recorder);
    recorder.end_step();
    state.ResumeTiming();
    benchmark::DoNotOptimize(resolver.pass(MarkResolver::Reach::kAll));
  }
}
BENCHMARK(BM_ResolveStep);

// Records of a window of 96 steps, after it.
void BM_RecordsOfAWindow(benchmark::State& state) {
  SteadyHostClock clock;
  StepRecorder recorder(clock, 96);
  recorder.begin_window(nullptr, {});
  for (int i = 0; i < 96; ++i) {
    recorder.begin_step();
    step(recorder);
    recorder.end_step();
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(recorder.records(ArmIndex{0}, WindowIndex{0}, 0, 0, {}));
  }
}
BENCHMARK(BM_RecordsOfAWindow);

}  // namespace
}  // namespace traceml
