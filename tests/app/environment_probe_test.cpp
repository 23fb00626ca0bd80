#include "harness/app/environment_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace traceml {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Sets a variable of this process, or takes it away, and puts it back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = getenv(name)) before_ = old;
    if (value == nullptr) {
      unsetenv(name);
    } else {
      setenv(name, value, 1);
    }
  }
  ~Variable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// Not those of this process and build: tests run under sanitizers and debuggers, too.
std::vector<std::string> from_variables() {
  std::vector<std::string> found = probe_distortions();
  std::erase_if(found, [](const std::string& text) {
    return !text.starts_with("CUDA_LAUNCH") && !text.starts_with("NCCL");
  });
  return found;
}

TEST(Distortions, AreNoneWhereNoVariableIsSet) {
  const Variable blocking("CUDA_LAUNCH_BLOCKING", nullptr);
  const Variable debug("NCCL_DEBUG", nullptr);
  EXPECT_THAT(from_variables(), IsEmpty());
}

TEST(Distortions, NameBlockingLaunches) {
  const Variable blocking("CUDA_LAUNCH_BLOCKING", "1");
  EXPECT_THAT(probe_distortions(), Contains("CUDA_LAUNCH_BLOCKING=1"));
}

TEST(Distortions, NameTheTraceOfNccl) {
  const Variable debug("NCCL_DEBUG", "TRACE");
  EXPECT_THAT(probe_distortions(), Contains("NCCL_DEBUG=TRACE"));
}

TEST(Distortions, LeaveHarmlessValuesAlone) {
  const Variable blocking("CUDA_LAUNCH_BLOCKING", "0");
  const Variable debug("NCCL_DEBUG", "WARN");
  EXPECT_THAT(from_variables(), IsEmpty());
}

TEST(Distortions, AreSeenInVariablesThatAreGiven) {
  EXPECT_THAT(distortions_in({{"A", "1"}, {"NCCL_DEBUG", "TRACE"}, {"CUDA_LAUNCH_BLOCKING", "1"}}),
              ElementsAre("CUDA_LAUNCH_BLOCKING=1", "NCCL_DEBUG=TRACE"));
  EXPECT_THAT(distortions_in({{"NCCL_DEBUG", "TRACE"}, {"NCCL_DEBUG", "WARN"}}), IsEmpty());
  EXPECT_THAT(distortions_in({{"NCCL_DEBUG", "1"}, {"CUDA_LAUNCH_BLOCKING", ""}}), IsEmpty());
}

TEST(Distortions, NameAProfilerOrSanitizerWithoutItsPath) {
  EXPECT_THAT(distortions_in({{"CUDA_INJECTION64_PATH", "/opt/nsys/libToolsInjection64.so"},
                              {"NSYS_HOME", "/opt/nsys"},
                              {"NVTX_INJECTION64_PATH", ""},
                              {"NV_SANITIZER_INJECTION_PORT_BASE", "49152"}}),
              ElementsAre("CUDA_INJECTION64_PATH (a profiler or sanitizer is attached)",
                          "NV_SANITIZER_INJECTION_PORT_BASE (a profiler or sanitizer is "
                          "attached)"));
  const Variable injected("NVTX_INJECTION64_PATH", "/opt/tools/injection.so");
  EXPECT_THAT(probe_distortions(),
              Contains("NVTX_INJECTION64_PATH (a profiler or sanitizer is attached)"));
}

// The child asks to be traced by this process; without permission there is nothing to see.
TEST(Distortions, NameAnAttachedTracer) {
  constexpr int kRefused = 2;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kRefused);
    const std::vector<std::string> found = probe_distortions();
    const bool seen =
        std::find(found.begin(), found.end(), "a tracer or debugger is attached") != found.end();
    _exit(seen ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kRefused)
    GTEST_SKIP() << "this machine does not let a child be traced";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(MemoryLimit, IsThatOfAMachine) {
  const auto limit = memory_limit();
  ASSERT_TRUE(limit.has_value());
  EXPECT_GT(*limit, std::int64_t{64} << 20);
  EXPECT_LT(*limit, std::int64_t{1} << 50);
}

TEST(PeakMemory, GrowsWithWhatTheProcessTouches) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  const auto before = peak_memory();
  ASSERT_TRUE(before.has_value());
  EXPECT_GT(*before, std::int64_t{1} << 20);
  const std::vector<char> touched(static_cast<std::size_t>(*before) + kBytes, 1);
  EXPECT_GE(*peak_memory(), *before + static_cast<std::int64_t>(kBytes) + touched[0] - 1);
}

TEST(EnvironmentFacts, HoldMachineAndBuildAndNoEmptyText) {
  const Environment environment = probe_environment();
  for (const char* fact : {"cores_online", "cores_allowed", "affinity", "memory_gib", "kernel",
                           "compiler", "build_type", "traceml_bench"}) {
    EXPECT_TRUE(environment.facts.contains(fact)) << fact;
  }
  for (const auto& [name, value] : environment.facts) EXPECT_NE(value, "") << name;
}

TEST(EnvironmentFacts, NameTheImageOfAContainerWithoutItsFolder) {
  const Variable image("APPTAINER_NAME", "/scratch/ann/nightly.sif");
  EXPECT_EQ(probe_environment().facts["container"], "nightly.sif");
}

TEST(EnvironmentFacts, HoldNothingPrivate) {
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  const Variable secret("TRACEML_TEST_SECRET", "s3cr3t-value");
  for (const auto& [name, value] : probe_environment().facts) {
    EXPECT_EQ(value.find("s3cr3t-value"), std::string::npos) << name;
    EXPECT_NE(value, host) << name;
    EXPECT_FALSE(value.starts_with("/")) << name << ": " << value;
  }
}

}  // namespace
}  // namespace traceml
