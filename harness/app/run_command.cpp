#include <fmt/format.h>

#include <exception>

#include "harness/app/commands.h"
#include "harness/app/ranks.h"
#include "harness/app/run_commands.h"
#include "harness/app/run_session.h"
#include "harness/app/signal_watch.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/runner/agreement.h"
#include "harness/runner/run_watch.h"

namespace traceml {
namespace {

// Returns the code of a run that ended in good order; other failures end the process.
int run_watched(Ranks& ranks, RunWatch& watch, HostClock& clock, const RunArguments& arguments) {
  try {
    return run_session(ranks, watch, clock, arguments);
  } catch (const AgreedError& error) {
    if (ranks.is_root()) watch.tell(fmt::format("traceml-bench: {}", error.what()));
    return value_of(error.code());
  } catch (const Error& error) {
    watch.fail(error.what(), error.code());
  } catch (const std::exception& error) {
    watch.fail(error.what(), ExitCode::kRunFailed);
  }
}

}  // namespace

int run_command(const RunArguments& arguments) {
  if (const auto commands = commands_to_run(arguments)) return run_commands(arguments, *commands);
  constexpr Seconds kStart{120};
  constexpr Seconds kEnd{15};
  SignalWatch signals;  // before the threads of MPI
  signals.expect_within(
      kStart, fmt::format("not all ranks have joined within {:g} s; is one stopped, or started "
                          "with another MPI?",
                          kStart.count()));
  SteadyHostClock clock;
  Ranks ranks(clock);
  signals.expect_nothing();
  int code = value_of(ExitCode::kPass);
  {
    RunWatch watch(ranks.transport(), ranks.roll());
    signals.on_signal([&watch](int signal) { watch.interrupted(signal); });
    code = run_watched(ranks, watch, clock, arguments);
    signals.on_signal({});
  }
  signals.expect_within(kEnd, fmt::format("the run has ended, with code {}, but a rank has not "
                                          "left it within {:g} s",
                                          code, kEnd.count()));
  ranks.finalize();
  return code;
}

}  // namespace traceml
