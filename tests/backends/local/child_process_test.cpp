#include "harness/backends/local/child_process.h"

#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "harness/core/error.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;
using ::testing::Truly;

ProcessRequest shell(const std::string& script) {
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c", script};
  return request;
}

ProcessResult run(const ProcessRequest& request) {
  return LocalProcessRunner().run(request);
}

// Blocks for ever where it runs on. A dead process that nobody has reaped has no command line.
void wait_until_it_no_longer_runs(const std::string& number) {
  const std::string file = "/proc/" + std::to_string(std::stoi(number)) + "/cmdline";
  std::string command;
  while (std::getline(std::ifstream(file), command)) std::this_thread::sleep_for(milliseconds{1});
}

TEST(ChildProcess, ReturnsTheExitCodeAndBothStreams) {
  const ProcessResult result = run(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(result.end, ProcessEnd::kExited);
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.output_tail, "out\n");
  EXPECT_EQ(result.error_tail, "err\n");
  EXPECT_GT(result.wall, Nanos{0});
  EXPECT_FALSE(result.succeeded());
  EXPECT_TRUE(run(shell("exit 0")).succeeded());
}

TEST(ChildProcess, PassesArgumentsAsTheyAre) {
  ProcessRequest request;
  request.argv = {"printf", "%s|", "two words", "$HOME", "", "a'b\"c"};
  EXPECT_EQ(run(request).output_tail, "two words|$HOME||a'b\"c|");
}

TEST(ChildProcess, AddsToTheEnvironmentAndReplacesInIt) {
  ::setenv("TRACEML_TEST_KEPT", "kept", 1);
  ::setenv("TRACEML_TEST_REPLACED", "old", 1);
  ProcessRequest request =
      shell("echo $TRACEML_TEST_KEPT,$TRACEML_TEST_REPLACED,$TRACEML_TEST_ADDED");
  request.environment = {{"TRACEML_TEST_REPLACED", "new"}, {"TRACEML_TEST_ADDED", "a=b"}};
  EXPECT_EQ(run(request).output_tail, "kept,new,a=b\n");
}

TEST(ChildProcess, RunsInTheFolderAndReadsNoInput) {
  const TemporaryFolder folder;
  ProcessRequest request = shell("pwd; cat; echo written > here");
  request.working_directory = folder.path();
  EXPECT_EQ(run(request).output_tail, folder.path() + "\n");
  EXPECT_EQ(folder.read("here"), "written\n");
}

TEST(ChildProcess, WritesStreamsToFilesAndReturnsTheirTails) {
  const TemporaryFolder folder;
  folder.write("out", "from an earlier run, longer than what follows\n");
  ProcessRequest request = shell("echo 1234567890; echo abcdef >&2");
  request.output_file = folder.path("out");
  request.error_file = folder.path("err");
  request.tail_bytes = 4;
  const ProcessResult result = run(request);
  EXPECT_EQ(folder.read("out"), "1234567890\n");
  EXPECT_EQ(folder.read("err"), "abcdef\n");
  EXPECT_EQ(result.output_tail, "890\n");
  EXPECT_EQ(result.error_tail, "def\n");
}

TEST(ChildProcess, WritesBothStreamsToOneFileInTheirOrder) {
  const TemporaryFolder folder;
  ProcessRequest request = shell("echo 1; echo 2 >&2; echo 3");
  request.output_file = request.error_file = folder.path("log");
  EXPECT_EQ(run(request).output_tail, "1\n2\n3\n");
  EXPECT_EQ(folder.read("log"), "1\n2\n3\n");
}

TEST(ChildProcess, TellsASignalFromAnExitCode) {
  const ProcessRequest request = shell("kill -KILL $$");
  const ProcessResult result = run(request);
  EXPECT_EQ(result.end, ProcessEnd::kKilled);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_EQ(describe_end(request, result), "was killed by signal 9 (SIGKILL)");
}

TEST(ChildProcess, EndsAProgramAtItsTimeLimit) {
  ProcessRequest request = shell("echo begun; sleep 60");
  request.time_limit = milliseconds{200};
  const ProcessResult result = run(request);
  EXPECT_EQ(result.end, ProcessEnd::kTimedOut);
  EXPECT_EQ(result.output_tail, "begun\n");
  EXPECT_EQ(describe_end(request, result), "took longer than its 0.2 s");
}

TEST(ChildProcess, KillsWhatIgnoresSigtermWithItsChildren) {
  const TemporaryFolder folder;
  ProcessRequest request = shell("trap '' TERM; sleep 60 & echo $! > child; sleep 60; sleep 60");
  request.working_directory = folder.path();
  request.time_limit = milliseconds{200};
  request.grace = milliseconds{50};
  EXPECT_EQ(run(request).end, ProcessEnd::kTimedOut);
  wait_until_it_no_longer_runs(folder.read("child"));
}

TEST(ChildProcess, LeavesNoneOfItsChildrenBehind) {
  const TemporaryFolder folder;
  ProcessRequest request = shell("sleep 60 >/dev/null 2>&1 & echo $! > child");
  request.working_directory = folder.path();
  EXPECT_TRUE(run(request).succeeded());
  wait_until_it_no_longer_runs(folder.read("child"));
}

TEST(ChildProcess, NamesWhatCannotBeStarted) {
  ProcessRequest request;
  request.argv = {"no-such-program-anywhere"};
  EXPECT_THAT([&] { run(request); },
              ThrowsMessage<UsageError>(
                  "cannot start no-such-program-anywhere: No such file or directory"));
  request.argv = {"/etc/passwd"};
  EXPECT_THAT([&] { run(request); },
              ThrowsMessage<UsageError>("cannot start /etc/passwd: Permission denied"));
  request.argv = {"/bin/true"};
  request.working_directory = "/no/such/folder";
  EXPECT_THAT([&] { run(request); },
              ThrowsMessage<UsageError>("cannot start /bin/true in the folder /no/such/folder: No "
                                        "such file or directory"));
  request = shell("true");
  request.output_file = "/no/such/folder/out";
  EXPECT_THAT([&] { run(request); },
              ThrowsMessage<RunError>(HasSubstr("cannot create /no/such/folder/out")));
  request.argv = {};
  EXPECT_THROW(run(request), UsageError);
}

TEST(ChildProcess, EndsTheProgramWhenThisProcessIsAskedToStop) {
  StopSignals stop;
  LocalProcessRunner runner(&stop);
  const ProcessRequest request = shell("kill -TERM $PPID; sleep 60");
  const ProcessResult result = runner.run(request);
  EXPECT_EQ(result.end, ProcessEnd::kStopped);
  EXPECT_EQ(describe_end(request, result), "was stopped by signal 15 (SIGTERM)");
  EXPECT_EQ(stop.received(), SIGTERM);
  const ProcessResult later = runner.run(shell("echo started"));
  EXPECT_EQ(later.end, ProcessEnd::kStopped);
  EXPECT_EQ(later.output_tail, "");
}

TEST(ChildProcess, LetsItsChildrenHaveTheSignalsThatItHoldsBack) {
  StopSignals stop;
  LocalProcessRunner runner(&stop);
  const ProcessResult result = runner.run(shell("kill -TERM $$; echo survived"));
  EXPECT_EQ(result.end, ProcessEnd::kKilled);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_FALSE(stop.received());
}

TEST(ChildProcess, TakesTheProgramAlongWhenItIsKilledItself) {
  const TemporaryFolder folder;
  // Orphans of the middle process become children of this one, which can then wait for them.
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t middle = ::fork();
  if (middle == 0) {
    ProcessRequest request =
        shell("trap 'exit 5' TERM; kill -KILL $PPID; for i in $(seq 6000); do sleep 0.01; done");
    request.working_directory = folder.path();
    run(request);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(middle, &status, 0), middle);
  EXPECT_TRUE(WIFSIGNALED(status));
  // The shell, and a `sleep` that it left behind, in any order.
  std::vector<int> orphans;
  while (::wait(&status) > 0) orphans.push_back(status);
  const auto left_by_its_trap = [](int end) { return WIFEXITED(end) && WEXITSTATUS(end) == 5; };
  EXPECT_THAT(orphans, Contains(Truly(left_by_its_trap)));
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

}  // namespace
}  // namespace traceml
