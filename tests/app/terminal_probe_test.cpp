#include "harness/app/terminal_probe.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace traceml {
namespace {

constexpr int kColumns = 97;
constexpr int kDescriptor = 20;  // stands for standard output; free in this process

// A pseudo-terminal of kColumns columns.
class Terminal {
 public:
  Terminal() : own_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (own_ < 0 || grantpt(own_) != 0 || unlockpt(own_) != 0) return;
    end_ = open(ptsname(own_), O_RDWR | O_NOCTTY);
    const winsize size{24, kColumns, 0, 0};
    ioctl(end_, TIOCSWINSZ, &size);
  }
  ~Terminal() {
    close(end_);
    close(own_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int descriptor() const { return end_; }

 private:
  int own_ = -1;
  int end_ = -1;
};

// A rank whose parent, this process, writes to `launchers`, while it itself writes to `ranks`:
// "plain" or the columns of its terminal. `variable`: what its launcher sets, or null.
std::string seen_by_rank(int launchers, int ranks, const char* variable) {
  dup2(launchers, kDescriptor);
  const pid_t child = fork();
  if (child == 0) {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) unsetenv(name);
    if (variable != nullptr) setenv(variable, "2", 1);
    dup2(ranks, kDescriptor);
    const StreamSink sink = probe_stream(kDescriptor);
    _exit(sink.terminal ? sink.columns : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(kDescriptor);
  if (!WIFEXITED(status)) return "died";
  return WEXITSTATUS(status) == 0 ? "plain" : std::to_string(WEXITSTATUS(status));
}

class TerminalProbe : public ::testing::Test {
 protected:
  void SetUp() override {
    if (terminal_.descriptor() < 0) GTEST_SKIP() << "no pseudo-terminal on this machine";
    plain_ = open("/dev/null", O_WRONLY);
    ASSERT_GE(plain_, 0);
  }
  void TearDown() override { close(plain_); }

  Terminal terminal_;
  int plain_ = -1;
};

TEST_F(TerminalProbe, SeesTheOwnTerminalWithoutALauncher) {
  EXPECT_EQ(seen_by_rank(plain_, terminal_.descriptor(), nullptr), std::to_string(kColumns));
}

TEST_F(TerminalProbe, IsPlainWithoutLauncherAndTerminal) {
  EXPECT_EQ(seen_by_rank(terminal_.descriptor(), plain_, nullptr), "plain");
}

TEST_F(TerminalProbe, IsPlainWhereTheLauncherWritesToNoTerminal) {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}) {
    EXPECT_EQ(seen_by_rank(plain_, terminal_.descriptor(), variable), "plain") << variable;
  }
}

TEST_F(TerminalProbe, SeesTheLaunchersTerminalBehindAPipe) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  EXPECT_EQ(seen_by_rank(terminal_.descriptor(), pipes[1], "OMPI_COMM_WORLD_SIZE"),
            std::to_string(kColumns));
  EXPECT_EQ(seen_by_rank(pipes[1], terminal_.descriptor(), "OMPI_COMM_WORLD_SIZE"), "plain");
  close(pipes[0]);
  close(pipes[1]);
}

TEST(ClosedStream, IsPlain) {
  EXPECT_FALSE(probe_stream(-1).terminal);
}

}  // namespace
}  // namespace traceml
