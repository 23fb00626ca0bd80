#include "harness/runner/launcher.h"

#include <gmock/gmock.h>

namespace traceml {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kRule(74, '-');

// What Open MPI 4.1 prints under a rank's exit code 11.
const std::string kBanner =
    kRule +
    "\nPrimary job  terminated normally, but 1 process returned\na non-zero exit code. "
    "Per user-direction, the job has been aborted.\n" +
    kRule + "\n" + kRule +
    "\nmpirun detected that one or more processes exited with non-zero status, thus causing\nthe "
    "job to be terminated. The first process to do so was:\n\n  Process name: [[14310,1],0]\n  "
    "Exit code:    11\n" +
    kRule + "\n";

LaunchSetup setup() {
  LaunchSetup setup;
  setup.binary = "/bin/tb";
  setup.config = "a.yaml";
  setup.overrides = {"measure.steps=8"};
  setup.ranks = 4;
  setup.launches = 10;
  setup.cores = 8;
  return setup;
}

ProcessResult exited(int code, const std::string& log = "") {
  ProcessResult result;
  result.exit_code = code;
  result.output_tail = log;
  return result;
}

std::optional<LaunchFailure> failure_of(const ProcessResult& result,
                                        Starter starter = Starter::kMpirun) {
  return failure_of_launch({}, result, starter);
}

TEST(Launcher, starts_ranks_with_mpirun) {
  EXPECT_THAT(command_of_launch(setup(), 3, "out/launches/0003"),
              ElementsAre("mpirun", "--bind-to", "none", "-n", "4", "/bin/tb", "run", "a.yaml",
                          "--out", "out/launches/0003", "--set", "measure.steps=8", "--set",
                          "measure.launches=10", "--set", "measure.launch=3"));
}

TEST(Launcher, gives_mpirun_the_flags_that_its_surroundings_need) {
  LaunchSetup wanted = setup();
  wanted.as_root = wanted.in_container = true;
  wanted.cores = 3;
  wanted.starter_arguments = {"--map-by", "node"};
  std::vector<std::string> words = command_of_launch(wanted, 1, "d");
  words.resize(13);
  EXPECT_THAT(words, ElementsAre("mpirun", "--bind-to", "none", "--allow-run-as-root",
                                 "--oversubscribe", "--mca", "btl_vader_single_copy_mechanism",
                                 "none", "--map-by", "node", "-n", "4", "/bin/tb"));
}

TEST(Launcher, starts_ranks_with_srun_or_one_rank_alone) {
  LaunchSetup wanted = setup();
  wanted.starter = Starter::kSrun;
  wanted.as_root = wanted.in_container = true;
  std::vector<std::string> words = command_of_launch(wanted, 1, "d");
  words.resize(6);
  EXPECT_THAT(words,
              ElementsAre("srun", "--cpu-bind=none", "--kill-on-bad-exit=1", "-n", "4", "/bin/tb"));
  wanted.starter = Starter::kDirect;
  words = command_of_launch(wanted, 1, "d");
  words.resize(2);
  EXPECT_THAT(words, ElementsAre("/bin/tb", "run"));
}

TEST(Launcher, names_the_folder_of_a_launch_and_reads_it_back) {
  EXPECT_EQ(folder_of_launch(3), "0003");
  EXPECT_EQ(launch_of_folder("0003"), 3);
  for (const char* name : {"0000", "3", "0003.log", "0003.unfinished-1", "lock", "-001", ""}) {
    EXPECT_FALSE(launch_of_folder(name)) << name;
  }
}

TEST(Launcher, takes_verdicts_of_one_launch_for_its_end) {
  for (const int code : {0, 10, 11}) EXPECT_FALSE(failure_of(exited(code, kBanner))) << code;
}

TEST(Launcher, keeps_usage_errors_and_their_sentence) {
  const auto failure = failure_of(exited(2, "traceml-bench: a.yaml: no such file\n" + kBanner));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ExitCode::kUsage);
  EXPECT_EQ(failure->cause, "a.yaml: no such file");
}

TEST(Launcher, tells_the_sentence_of_a_rank_that_failed) {
  const auto failure = failure_of(exited(4, "block 1\nrank 1, baseline: lost\n" + kBanner));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ExitCode::kRunFailed);
  EXPECT_EQ(failure->cause, "rank 1, baseline: lost");
  EXPECT_EQ(failure_of(exited(4, "no more\n" + kBanner))->cause,
            "the run failed (exit code 4): no more");
}

TEST(Launcher, takes_128_and_a_signal_for_a_killed_rank) {
  const auto failure = failure_of(exited(137, kBanner));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ExitCode::kRunFailed);
  EXPECT_EQ(failure->cause, "a rank was killed by signal 9 (SIGKILL)");
}

TEST(Launcher, tells_mpiruns_own_message) {
  const std::string log = "warm-up\n" + kRule +
                          "\nThere are not enough slots available\nin the system.\n" + kRule + "\n";
  const auto failure = failure_of(exited(1, log));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, ExitCode::kRunFailed);
  EXPECT_EQ(failure->cause,
            "mpirun ended with exit code 1: There are not enough slots available in the system.");
  EXPECT_EQ(failure_of(exited(1, "mpirun: Error: unknown option\n"), Starter::kSrun)->cause,
            "srun ended with exit code 1: mpirun: Error: unknown option");
}

TEST(Launcher, takes_the_end_of_the_starter_itself_for_a_failure) {
  ProcessResult killed;
  killed.end = ProcessEnd::kKilled;
  killed.signal = 9;
  EXPECT_EQ(failure_of(killed)->cause, "mpirun was killed by signal 9 (SIGKILL)");
  ProcessResult late;
  late.end = ProcessEnd::kTimedOut;
  late.wall = std::chrono::seconds(3);
  EXPECT_EQ(failure_of(late)->code, ExitCode::kRunFailed);
}

TEST(Launcher, leaves_out_banners_and_nothing_else) {
  const std::string own = kRule + "\nThere are not enough slots available\n" + kRule + "\n";
  EXPECT_EQ(without_banners("one\n" + kBanner + "two\n"), "one\ntwo\n");
  EXPECT_EQ(without_banners("one\n" + own + kBanner), "one\n" + own);
  EXPECT_EQ(without_banners(kRule + "\ncut off: Primary job  terminated normally\n"),
            kRule + "\ncut off: Primary job  terminated normally\n");
  EXPECT_EQ(without_banners(""), "");
}

}  // namespace
}  // namespace traceml
