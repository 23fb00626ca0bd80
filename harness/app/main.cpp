#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/app/commands.h"
#include "harness/backends/mpi/launch_environment.h"
#include "harness/core/error.h"
#include "harness/core/error_line.h"

namespace traceml {
namespace {

int dispatch(const CommandLine& line) {
  if (line.run) return run_command(*line.run);
  if (line.launch) return launch_command(*line.launch);
  if (line.selfcheck) return selfcheck_command(*line.selfcheck);
  if (line.report) return report_command(*line.report);
  if (line.compare) return compare_command(*line.compare);
  if (line.baseline) return baseline_command(*line.baseline);
  if (line.history) return history_command(*line.history);
  if (line.check) return check_command(*line.check);
  if (line.init) return init_command(*line.init);
  if (line.datagen) return datagen_command(*line.datagen);
  if (line.doctor) return doctor_command(*line.doctor);
  if (line.explain) return explain_command(*line.explain);
  std::fputs(line.text->c_str(), stdout);
  return value_of(ExitCode::kPass);
}

// Descriptors 0 to 2 that were closed would go to the next files that are opened, results among
// them, and what is printed into those. Taken so, printing fails as it would on a closed one.
void keep_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    [[maybe_unused]] const int lowest =
        ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// A reader of our output that leaves and a limit on file sizes are errors that we tell of, not
// deaths.
void turn_signals_into_errors() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void refuse_ranks(const CommandLine& line, const std::string& command,
                  const std::optional<LaunchedRank>& launched) {
  const bool of_many = line.run || line.text || (line.doctor && line.doctor->collectives);
  if (of_many || !launched || launched->world_size == 1) return;
  throw UsageError(
      fmt::format("{} is the work of one process, but {} were started; leave mpirun out", command,
                  launched->world_size));
}

void require_printed() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw RunError("cannot print all to standard output: it is closed or its disk is full");
}

int run_main(const std::vector<std::string>& arguments,
             const std::optional<LaunchedRank>& launched) {
  const CommandLine line = parse_command_line(arguments);
  refuse_ranks(line, arguments.empty() ? "this" : arguments.front(), launched);
  if (line.text && launched && launched->rank != 0) return value_of(ExitCode::kPass);
  const int code = dispatch(line);
  if (!line.run) require_printed();  // run has told of it, with what is left
  return code;
}

// Before ranks have met each finds the same faults: the first tells them. The others leave it the
// time, for the launcher kills it when they have left.
int give_up(const std::string& sentence, ExitCode code,
            const std::optional<LaunchedRank>& launched) {
  if (launched && launched->rank != 0) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  } else {
    print_error_line("traceml-bench: " + sentence);
  }
  return value_of(code);
}

}  // namespace
}  // namespace traceml

int main(int argc, char** argv) {
  using namespace traceml;
  keep_standard_streams();
  turn_signals_into_errors();
  const std::optional<LaunchedRank> launched = launched_rank(process_environment);
  try {
    return run_main(std::vector<std::string>(argv + 1, argv + argc), launched);
  } catch (const Error& error) {
    return give_up(error.what(), error.code(), launched);
  } catch (const std::exception& error) {
    return give_up(error.what(), ExitCode::kRunFailed, launched);
  }
}
