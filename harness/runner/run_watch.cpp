#include "harness/runner/run_watch.h"
#include "harness/core/error_line.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace traceml {
namespace {

constexpr const char* kGoneText =
    "its process ended without a word (killed, out of memory, or it called exit)";
constexpr Nanos kFirstStepTimeout = std::chrono::seconds(15);

double seconds(Nanos time) {
  return std::chrono::duration<double>(time).count();
}

// "no progress for 1.2 s (measure.step_timeout)", with the factor that a slow stage has.
std::string stuck_text(const Stall& stall, const PositionView& view) {
  if (!is_slow(view.stage)) {
    return fmt::format("no progress for {:.3g} s (measure.step_timeout)", seconds(stall.still));
  }
  return fmt::format("no progress for {:.3g} s ({} times measure.step_timeout)",
                     seconds(stall.still), kSlowFactor);
}

std::string with_rest(const std::string& sentence, const FailureActs& acts, bool stored) {
  const std::string left = acts.what_is_left ? acts.what_is_left(stored) : "";
  return left.empty() ? sentence : sentence + "; " + left;
}

}  // namespace

std::string name_of_signal(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

RunWatch::RunWatch(Transport& transport, Roll roll)
    : transport_(transport),
      roll_(std::move(roll)),
      begun_(steady_now()),
      step_timeout_(kFirstStepTimeout),
      watchdog_(roll_, {kFirstStepTimeout, std::nullopt},
                {[this](const Stall& stall) { on_stall(stall); },
                 [this](std::size_t who) { on_deadline(who); }}) {}

RunWatch::~RunWatch() {
  watchdog_.stop();
  position().leave_run();
}

void RunWatch::set_arms(std::vector<std::string> names) {
  const std::lock_guard lock(mutex_);
  arm_names_ = std::move(names);
}

void RunWatch::set_step_timeout(Seconds limit) {
  const std::lock_guard lock(mutex_);
  step_timeout_ = std::chrono::duration_cast<Nanos>(limit);
  renew_limits();
}

void RunWatch::set_acts(FailureActs acts) {
  const std::lock_guard lock(mutex_);
  acts_ = std::move(acts);
}

void RunWatch::set_abort(std::function<void()> abort) {
  const std::lock_guard lock(mutex_);
  abort_ = std::move(abort);
}

void RunWatch::set_time_limit(Seconds limit) {
  const std::lock_guard lock(mutex_);
  time_limit_ = std::chrono::duration_cast<Nanos>(limit);
  renew_limits();
}

void RunWatch::put_off_deadline(Nanos not_before) {
  const std::lock_guard lock(mutex_);
  not_before_ = not_before;
  renew_limits();
}

void RunWatch::lift_deadline() {
  const std::lock_guard lock(mutex_);
  time_limit_ = std::nullopt;
  renew_limits();
}

bool RunWatch::is_late() const {
  const std::lock_guard lock(mutex_);
  return time_limit_ && steady_now() >= begun_ + *time_limit_;
}

void RunWatch::renew_limits() {
  Watchdog::Limits limits{step_timeout_, std::nullopt};
  if (time_limit_) limits.deadline = std::max(begun_ + *time_limit_, not_before_);
  watchdog_.set_limits(limits);
}

bool RunWatch::any_window_stored() const {
  return std::any_of(roll_.ranks.begin(), roll_.ranks.end(),
                     [](const RankPosition& rank) { return rank.position->view().windows > 0; });
}

void RunWatch::fail(const std::string& cause, ExitCode code) {
  fail_at(roll_.own, view_of(roll_.own), cause, code);
}

void RunWatch::fail_at(std::size_t who, PositionView view, const std::string& cause,
                       ExitCode code) {
  std::string where;
  {
    const std::lock_guard lock(mutex_);
    where = describe(roll_.ranks[who].rank, view, arm_names_);
  }
  fail_with(fmt::format("{}: {}", where, cause), code);
}

void RunWatch::fail_with(const std::string& sentence, ExitCode code) {
  if (told_.exchange(true)) transport_.fail(sentence, code);  // it has been printed
  const FailureActs acts = this->acts();
  const bool stored = any_window_stored();
  if (transport_.failing()) abort_exchange();
  transport_.fail_after(with_rest(sentence, acts, stored), code, [&] {
    if (acts.after_words) acts.after_words(sentence, stored);
    abort_exchange();
  });
  std::abort();  // not reached; g++ forgets that a virtual function does not return
}

void RunWatch::tell(const std::string& sentence) {
  const FailureActs acts = this->acts();
  const bool stored = any_window_stored();
  print_error_line(with_rest(sentence, acts, stored));
  if (acts.after_words) acts.after_words(sentence, stored);
}

void RunWatch::abort_exchange() const {
  std::function<void()> abort;
  {
    const std::lock_guard lock(mutex_);
    abort = abort_;
  }
  if (abort) abort();
}

FailureActs RunWatch::acts() const {
  const std::lock_guard lock(mutex_);
  return acts_;
}

void RunWatch::on_stall(const Stall& stall) {
  PositionView view = view_of(stall.who);
  std::string cause;
  switch (stall.kind) {
    case StallKind::kStuck:
      cause = stuck_text(stall, view);
      break;
    case StallKind::kStopped:
      cause = fmt::format("its process has not run for {:.3g} s (measure.step_timeout): stopped?",
                          seconds(stall.still));
      break;
    case StallKind::kGone:
      cause = kGoneText;
      break;
    case StallKind::kBehind:
      cause = fmt::format("no progress for {:.3g} s, while others wait for it further on",
                          seconds(stall.still));
      break;
    case StallKind::kDeadlocked:
      cause = fmt::format(
          "no progress for {:.3g} s: {}", seconds(stall.still),
          roll_.complete ? "all ranks wait for each other" : "a rank of another node has not come");
      break;
  }
  // The others wait for it.
  const bool dead = stall.kind == StallKind::kStopped || stall.kind == StallKind::kGone;
  if (dead || stall.kind == StallKind::kBehind) view.waiting = false;
  fail_at(stall.who, view, cause, ExitCode::kRunFailed);
}

void RunWatch::on_deadline(std::size_t who) {
  Nanos limit{};
  {
    const std::lock_guard lock(mutex_);
    limit = time_limit_.value_or(Nanos{0});
  }
  fail_at(
      who, view_of(who),
      fmt::format("the time limit of {:g} s (measure.time_limit) was reached here", seconds(limit)),
      ExitCode::kRunFailed);
}

void RunWatch::interrupted(int signal) {
  if (told_.load()) std::this_thread::sleep_for(std::chrono::seconds(5));  // this rank tells why
  if (transport_.failing()) {                                              // another one does
    abort_exchange();
    std::_Exit(value_of(ExitCode::kRunFailed));
  }
  for (std::size_t i = 0; i < roll_.ranks.size(); ++i) {
    const pid_t process = roll_.ranks[i].position->process();
    if (process <= 0 || ::kill(process, 0) == 0 || errno == EPERM) continue;
    PositionView view = view_of(i);
    view.waiting = false;
    fail_at(i, view, kGoneText, ExitCode::kRunFailed);
  }
  fail_at(roll_.own, view_of(roll_.own), fmt::format("stopped by {}", name_of_signal(signal)),
          ExitCode::kRunFailed);
}

}  // namespace traceml
