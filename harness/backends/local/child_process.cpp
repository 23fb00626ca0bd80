#include "harness/backends/local/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "harness/core/error.h"

namespace traceml {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

std::string reason_of(int code) {
  return std::generic_category().message(code);
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  int value() const { return value_; }
  void close_now() { ::close(std::exchange(value_, -1)); }

 private:
  int value_;
};

// The file of a stream, or one that loses its name at once.
Descriptor open_stream(const std::string& path) {
  std::string name = path;
  if (path.empty()) name = (std::filesystem::temp_directory_path() / "traceml-XXXXXX").string();
  const int value =
      path.empty() ? ::mkostemp(name.data(), O_APPEND | O_CLOEXEC)
                   : ::open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_APPEND | O_CLOEXEC, 0666);
  if (value < 0) throw RunError(fmt::format("cannot create {}: {}", name, reason_of(errno)));
  if (path.empty()) ::unlink(name.c_str());
  return Descriptor(value);
}

std::string tail_of(int descriptor, std::size_t bytes) {
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  if (size <= 0) return "";
  std::string text(std::min(bytes, static_cast<std::size_t>(size)), '\0');
  const ssize_t got =
      ::pread(descriptor, text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

// argv or envp as exec takes it. Borrows the texts.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& additions) {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) all[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const auto& [name, value] : additions) all[name] = value;
  std::vector<std::string> lines;
  lines.reserve(all.size());
  for (const auto& [name, value] : all) lines.push_back(name + "=" + value);
  return lines;
}

// What the child does between fork and exec: system calls alone, for another thread may have held
// any lock at the fork.
struct ChildStart {
  char* const* argv;
  char* const* envp;
  const char* folder;  // null: stay
  int output;
  int error;
  int report;  // where the reason goes, if there is no start
  pid_t parent;
  sigset_t mask;
};

enum class StartStep : int { kFolder, kStreams, kProgram };

struct StartFailure {
  StartStep step;
  int code;
};

[[noreturn]] void give_up(const ChildStart& start, StartStep step) {
  const StartFailure failure{step, errno};
  [[maybe_unused]] const ssize_t ignored = ::write(start.report, &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void become(const ChildStart& start) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != start.parent) ::_exit(127);  // it died before it could be told of
  ::signal(SIGPIPE, SIG_DFL);  // what this process ignores is not the child's choice
  ::signal(SIGXFSZ, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &start.mask, nullptr);
  const int null = ::open("/dev/null", O_RDONLY);
  if (null < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(start.output, STDOUT_FILENO) < 0 ||
      ::dup2(start.error, STDERR_FILENO) < 0) {
    give_up(start, StartStep::kStreams);
  }
  if (null != STDIN_FILENO) ::close(null);
  if (start.folder != nullptr && ::chdir(start.folder) != 0) give_up(start, StartStep::kFolder);
  ::execvpe(start.argv[0], start.argv, start.envp);
  give_up(start, StartStep::kProgram);
}

[[noreturn]] void throw_failure(const ProcessRequest& request, const StartFailure& failure) {
  const std::string reason = reason_of(failure.code);
  if (failure.step == StartStep::kFolder) {
    throw UsageError(fmt::format("cannot start {} in the folder {}: {}", request.argv.front(),
                                 request.working_directory, reason));
  }
  if (failure.step == StartStep::kProgram) {
    throw UsageError(fmt::format("cannot start {}: {}", request.argv.front(), reason));
  }
  throw RunError(fmt::format("cannot start {}: its streams: {}", request.argv.front(), reason));
}

// Returns the process, which has become the program. Throws where there is none.
pid_t start_child(const ProcessRequest& request, int output, int error, const sigset_t& mask) {
  std::vector<std::string> arguments = request.argv;
  std::vector<std::string> environment = environment_with(request.environment);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(environment);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw RunError(fmt::format("cannot make a pipe: {}", reason_of(errno)));
  }
  Descriptor reading(ends[0]), writing(ends[1]);
  const ChildStart start{
      argv.data(),
      envp.data(),
      request.working_directory.empty() ? nullptr : request.working_directory.c_str(),
      output,
      error,
      writing.value(),
      ::getpid(),
      mask};
  const pid_t child = ::fork();
  if (child < 0) {
    throw RunError(
        fmt::format("cannot start {}: no process: {}", request.argv.front(), reason_of(errno)));
  }
  if (child == 0) become(start);
  ::setpgid(child, child);  // whoever comes first
  writing.close_now();
  StartFailure failure{};
  ssize_t got = 0;
  do {
    got = ::read(reading.value(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof failure) return child;  // the pipe closed at exec
  ::waitpid(child, nullptr, 0);
  throw_failure(request, failure);
}

int milliseconds_until(SteadyTime when) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(when - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 1 << 30));
}

// The C library of Debian 12 declares pidfd_open() for C alone.
int pidfd_of(pid_t child) {
  return static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
}

enum class Woken { kEnded, kStopRequested, kTime };

// Blocks until the child has ended (it is left to be reaped), a stop is asked for or it is `until`.
// `process` is its pidfd.
Woken wait_for(int process, const StopSignals* stop, std::optional<SteadyTime> until) {
  std::array<pollfd, 2> watched = {
      {{process, POLLIN, 0}, {stop == nullptr ? -1 : stop->descriptor(), POLLIN, 0}}};
  while (true) {
    const int ready =
        ::poll(watched.data(), watched.size(), until ? milliseconds_until(*until) : -1);
    if (ready < 0 && errno != EINTR) {
      throw RunError(fmt::format("cannot wait for a process: {}", reason_of(errno)));
    }
    if (ready > 0) return watched[0].revents != 0 ? Woken::kEnded : Woken::kStopRequested;
    if (until && std::chrono::steady_clock::now() >= *until) return Woken::kTime;
  }
}

// Ends the group as gently as it lets us.
void end_group(pid_t group, int leader, Nanos grace) {
  ::kill(-group, SIGTERM);
  ::kill(-group, SIGCONT);  // a stopped process does not see the other one
  const SteadyTime until = std::chrono::steady_clock::now() + grace;
  if (wait_for(leader, nullptr, until) == Woken::kEnded) return;
  ::kill(-group, SIGKILL);
  wait_for(leader, nullptr, std::nullopt);
}

// Kills what is left of the group and reaps its leader, whose number is taken until then.
void reap(pid_t child, ProcessResult& result) {
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (result.end != ProcessEnd::kExited) return;
  if (WIFSIGNALED(status)) {
    result.end = ProcessEnd::kKilled;
    result.signal = WTERMSIG(status);
  } else {
    result.exit_code = WEXITSTATUS(status);
  }
}

}  // namespace

ProcessResult LocalProcessRunner::run(const ProcessRequest& request) {
  if (request.argv.empty() || request.argv.front().empty()) {
    throw UsageError("there is no program to start: its name is empty");
  }
  ProcessResult result;
  if (stop_ != nullptr && stop_->received()) {
    result.end = ProcessEnd::kStopped;
    result.signal = *stop_->received();
    return result;
  }
  const Descriptor output = open_stream(request.output_file);
  const bool shared = !request.output_file.empty() && request.output_file == request.error_file;
  const Descriptor error = shared ? Descriptor(-1) : open_stream(request.error_file);
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  if (stop_ != nullptr) mask = stop_->mask_before();
  const SteadyTime began = std::chrono::steady_clock::now();
  const pid_t child =
      start_child(request, output.value(), shared ? output.value() : error.value(), mask);
  const Descriptor watch(pidfd_of(child));
  if (watch.value() < 0) {
    const int code = errno;
    reap(child, result);
    throw RunError(fmt::format("cannot watch a process: {}", reason_of(code)));
  }
  const auto until = request.time_limit ? std::optional(began + *request.time_limit) : std::nullopt;
  const Woken woken = wait_for(watch.value(), stop_, until);
  if (woken == Woken::kTime) result.end = ProcessEnd::kTimedOut;
  if (woken == Woken::kStopRequested) {
    result.end = ProcessEnd::kStopped;
    result.signal = stop_->received().value_or(SIGTERM);
  }
  if (woken != Woken::kEnded) end_group(child, watch.value(), request.grace);
  result.wall = std::chrono::steady_clock::now() - began;
  reap(child, result);
  result.output_tail = tail_of(output.value(), request.tail_bytes);
  if (!shared) result.error_tail = tail_of(error.value(), request.tail_bytes);
  return result;
}

}  // namespace traceml
