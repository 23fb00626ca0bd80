#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/app/collective_check.h"
#include "harness/app/commands.h"
#include "harness/app/environment_probe.h"
#include "harness/app/gpu_text.h"
#include "harness/app/ranks.h"
#include "harness/app/signal_watch.h"
#include "harness/app/version.h"
#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/cupti/cupti_backend.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/backends/mpi/mpi_backend.h"
#include "harness/backends/nccl/nccl_backend.h"
#include "harness/reports/html/html.h"
#include "harness/runner/allowed_cores.h"
#include "workloads/gpu_input/gpu_batches.h"
#include "workloads/input/dataset.h"
#include "workloads/torch/torch_workload.h"

namespace traceml {
namespace {

void line(const std::string& what, const std::string& value) {
  fmt::print("  {:<24}{}\n", what, value);
}

void warn(const std::string& sentence) {
  fmt::print("  warning: {}\n", sentence);
}

std::string yes_or_no(bool built) {
  return built ? "yes" : "no";
}

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return text;
}

void print_build() {
  fmt::print("built in\n");
  line("traceml-bench", fmt::format("{} ({}, {})", kToolVersion, kCompiler, kBuildType));
  line("MPI", yes_or_no(mpi_built()));
  const auto torch = torch_facts();
  line("libtorch", torch ? fmt::format("{}, {}", torch->version, torch->cpu_capability) : "no");
  line("CUDA", yes_or_no(cuda_built()));
  line("NCCL", nccl_built() ? nccl_version() : "no");
  line("CUPTI", yes_or_no(cupti_built()));
  line("report.html", html_built() ? "yes"
                                   : "no: build with -DTRACEML_WITH_HTML=ON, which needs Chart.js "
                                     "(package libjs-chart.js)");
}

void print_machine() {
  fmt::print("this machine\n");
  const Environment environment = probe_environment();
  for (const char* fact :
       {"cpu_model", "cores_online", "cores_allowed", "memory_gib", "os", "kernel"}) {
    if (const auto found = environment.facts.find(fact); found != environment.facts.end()) {
      line(fact, found->second);
    }
  }
  const std::string governor =
      first_line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (!governor.empty()) line("frequency governor", governor);
  if (!governor.empty() && governor != "performance") {
    warn("the processor's frequency governor is '" + governor +
         "'; 'performance' gives steadier times");
  }
}

void print_gpu_state(const Gpu& gpu) {
  std::string why_not;
  const auto monitor = make_gpu_monitor(gpu.uuid, why_not);
  if (!monitor) {
    warn("the state of GPU " + std::to_string(gpu.index) + " cannot be read: " + why_not);
    return;
  }
  const DeviceState state = monitor->read();
  line("  now", device_state_text(state));
  for (const std::string& sentence : device_warnings(gpu.index, state)) warn(sentence);
}

void print_gpus() {
  fmt::print("GPUs\n");
  const GpuSearch found = find_gpus();
  if (found.runtime) line("CUDA runtime", *found.runtime);
  if (found.driver_cuda) {
    line("driver", fmt::format("{}, CUDA up to {}", gpu_driver_version().value_or("unknown"),
                               *found.driver_cuda));
  }
  if (found.gpus.empty()) line("none", found.why_none);
  for (const Gpu& gpu : found.gpus) {
    line(fmt::format("GPU {}", gpu.index), gpu_text(gpu));
    print_gpu_state(gpu);
    const GpuDecoding decoding = find_gpu_decoding(gpu.index);
    line("  JPEG decoding", decoding.facts.empty() ? "no: " + decoding.why_none : decoding.facts);
  }
}

// The mean cost of a call in a row of them; two are most of what a phase scope may cost.
void print_clock() {
  fmt::print("clock\n");
  SteadyHostClock clock;
  constexpr int kCalls = 100'000;
  const Nanos start = clock.now();
  for (int call = 0; call < kCalls; ++call) clock.now();
  const double each = static_cast<double>((clock.now() - start).count()) / kCalls;
  line("steady_clock", fmt::format("{:.0f} ns a call", each));
  const std::string source =
      first_line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!source.empty()) line("clock source", source);
  if (each > 100) warn("the host clock is slow here; phase scopes will cost more than 100 ns");
}

void print_disk() {
  fmt::print("results folder\n");
  std::error_code error;
  const auto space = std::filesystem::space(".", error);
  if (error) {
    warn("the space of this folder cannot be read: " + error.message());
    return;
  }
  line("free here", fmt::format("{:.1f} GiB", static_cast<double>(space.available) / (1 << 30)));
  if (space.available < (std::uintmax_t{1} << 30)) warn("less than 1 GiB is free for results");
}

void print_dataset(const std::string& folder) {
  fmt::print("data set\n");
  const Dataset dataset = load_dataset(folder);
  line("classes", std::to_string(dataset.classes.size()));
  line("training images", std::to_string(dataset.samples.size()));
}

void print_findings(const DoctorArguments& arguments) {
  print_build();
  print_machine();
  print_gpus();
  print_clock();
  fmt::print("ranks\n");
  line("start them with", "mpirun -n N --bind-to none traceml-bench CONFIG");
  if (allowed_core_count() == 1) {
    warn(
        "this process may use one core only: loader threads would share it with training; pass "
        "--bind-to none to mpirun");
  }
  for (const std::string& distortion : probe_distortions()) {
    warn(distortion +
         " makes timings worthless; runs will be INCONCLUSIVE (distorting_environment)");
  }
  print_disk();
  if (!arguments.dataset.empty()) print_dataset(arguments.dataset);
  std::fflush(stdout);
}

// With the other ranks. Ends them all where one fails.
void try_collectives(const DoctorArguments& arguments) {
  constexpr Seconds kStart{120};
  constexpr Seconds kSweep{600};
  SignalWatch signals;  // before the threads of MPI
  signals.expect_within(kStart,
                        fmt::format("not all ranks have joined within {:g} s", kStart.count()));
  SteadyHostClock clock;
  Ranks ranks(clock);
  signals.expect_within(
      kSweep, fmt::format("the all-reduces have not ended within {:g} s", kSweep.count()));
  try {
    if (ranks.is_root()) print_findings(arguments);
    check_collectives(ranks, clock);
  } catch (const Error& error) {
    ranks.transport().fail(fmt::format("traceml-bench: {}", error.what()), error.code());
  } catch (const std::exception& error) {
    ranks.transport().fail(fmt::format("traceml-bench: {}", error.what()), ExitCode::kRunFailed);
  }
  ranks.finalize();
}

}  // namespace

int doctor_command(const DoctorArguments& arguments) {
  if (arguments.collectives) {
    try_collectives(arguments);
  } else {
    print_findings(arguments);
  }
  return value_of(ExitCode::kPass);
}

}  // namespace traceml
