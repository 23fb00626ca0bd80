#include "harness/runner/watchdog.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace traceml {
namespace {

Nanos scaled(Nanos time, double factor) {
  return std::chrono::duration_cast<Nanos>(time * factor);
}

Nanos limit_of(Stage stage, Nanos limit) {
  return is_slow(stage) ? limit * kSlowFactor : limit;
}

bool exists(pid_t process) {
  return process <= 0 || ::kill(process, 0) == 0 || errno == EPERM;
}

Sight sight_of(const Position& position) {
  Sight sight;
  sight.view = position.view();
  sight.signs_of_life = position.signs_of_life();
  sight.watched = position.process() > 0;
  sight.exists = exists(position.process());
  return sight;
}

}  // namespace

std::optional<Stall> StallDetector::look(const std::vector<Sight>& sights, Nanos now, Nanos limit) {
  // After a pause of this very process nothing can be said of the others.
  const bool afresh = memory_.empty() || now - last_look_ > limit / 2;
  last_look_ = now;
  remember(sights, now, afresh);
  if (auto stall = stuck(sights, now, limit)) return stall;
  return whom_we_wait_for(sights, now, limit);
}

void StallDetector::remember(const std::vector<Sight>& sights, Nanos now, bool afresh) {
  memory_.resize(sights.size());
  for (std::size_t i = 0; i < sights.size(); ++i) {
    Memory& memory = memory_[i];
    const Sight& sight = sights[i];
    if (afresh || memory.view != sight.view) memory.moved = now;
    if (afresh || memory.signs_of_life != sight.signs_of_life) memory.lived = now;
    memory.view = sight.view;
    memory.signs_of_life = sight.signs_of_life;
    memory.existed = memory.existed || (sight.watched && sight.exists);
    if (!sight.watched || sight.exists) {
      memory.gone = std::nullopt;
    } else if (!memory.gone || afresh) {
      memory.gone = now;
    }
  }
}

std::optional<Stall> StallDetector::stuck(const std::vector<Sight>& sights, Nanos now,
                                          Nanos limit) const {
  constexpr Nanos kLeastLifeless = std::chrono::seconds(1);  // a busy machine is not a stopped rank
  // For the launcher to see it first: its exit code tells how the process ended.
  constexpr Nanos kLaunchersTurn = std::chrono::milliseconds(250);
  for (std::size_t i = 0; i < sights.size(); ++i) {
    const Memory& memory = memory_[i];
    if (!sights[i].watched) continue;
    const Nanos still = now - memory.moved;
    if (memory.existed && memory.gone && now - *memory.gone >= kLaunchersTurn) {
      return Stall{i, StallKind::kGone, still};
    }
    const Nanos lifeless = now - memory.lived;
    if (i != own_ && lifeless >= std::max(limit, kLeastLifeless)) {
      return Stall{i, sights[i].exists ? StallKind::kStopped : StallKind::kGone, lifeless};
    }
    if (i == own_ && !memory.view.waiting && still >= limit_of(memory.view.stage, limit)) {
      return Stall{i, StallKind::kStuck, still};
    }
  }
  return std::nullopt;
}

std::optional<Stall> StallDetector::whom_we_wait_for(const std::vector<Sight>& sights, Nanos now,
                                                     Nanos limit) const {
  const Memory& own = memory_[own_];
  const Nanos still = now - own.moved;
  // Of a rank on another node nothing is known: it may be in a slow stage.
  const Nanos patience = complete_ ? limit_of(own.view.stage, limit) : limit * kSlowFactor;
  if (!sights[own_].watched || !own.view.waiting || still < scaled(patience, kWaitFactor)) {
    return std::nullopt;
  }
  std::optional<std::size_t> behind;
  for (std::size_t i = 0; i < sights.size(); ++i) {
    if (!sights[i].watched || i == own_) continue;
    const Memory& other = memory_[i];
    if (!other.view.waiting) {
      const Nanos others = now - other.moved;
      if (others < scaled(limit_of(other.view.stage, limit), kWaitFactor)) return std::nullopt;
      return Stall{i, StallKind::kStuck, others};
    }
    if (now - other.moved < still / 2) return std::nullopt;  // it moves: we may be next
    const auto fewest = behind ? memory_[*behind].view.meetings : own.view.meetings;
    if (other.view.meetings < fewest) behind = i;
  }
  if (behind) return Stall{*behind, StallKind::kBehind, now - memory_[*behind].moved};
  return Stall{own_, StallKind::kDeadlocked, still};
}

std::size_t StallDetector::slowest(const std::vector<Sight>& sights) const {
  std::size_t slowest = own_;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (!sights[i].watched || memory_[i].view.waiting) continue;
    const bool better = memory_[slowest].view.waiting || memory_[i].moved < memory_[slowest].moved;
    if (better) slowest = i;
  }
  return slowest;
}

Watchdog::Watchdog(Roll roll, Limits limits, Listener listener)
    : roll_(std::move(roll)),
      listener_(std::move(listener)),
      detector_(roll_.own, roll_.complete),
      limits_(limits),
      thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  stop();
}

void Watchdog::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::set_limits(const Limits& limits) {
  {
    const std::lock_guard lock(mutex_);
    limits_ = limits;
    changed_ = true;
  }
  wake_.notify_one();
}

void Watchdog::run() {
  const pid_t process = ::getpid();
  while (true) {
    roll_.own_position().give_sign_of_life(process);
    if (!look()) return;
    std::unique_lock lock(mutex_);
    Nanos pause = std::clamp<Nanos>(limits_.step / 8, std::chrono::milliseconds(1),
                                    std::chrono::milliseconds(500));
    if (limits_.deadline) {
      pause = std::clamp<Nanos>(*limits_.deadline - steady_now(), Nanos{0}, pause);
    }
    wake_.wait_for(lock, pause, [this] { return stop_ || changed_; });
    if (stop_) return;
    changed_ = false;
  }
}

bool Watchdog::look() {
  Limits limits;
  {
    const std::lock_guard lock(mutex_);
    limits = limits_;
  }
  sights_.clear();
  for (const RankPosition& rank : roll_.ranks) sights_.push_back(sight_of(*rank.position));
  const Nanos now = steady_now();
  const auto stall = detector_.look(sights_, now, limits.step);
  const bool late = limits.deadline && now >= *limits.deadline;
  if (!stall && !late) return true;
  try {
    if (stall) {
      listener_.on_stall(*stall);
    } else {
      listener_.on_deadline(detector_.slowest(sights_));
    }
  } catch (...) {
    // A transport that cannot end the process has told the other ranks by now.
  }
  return false;
}

Nanos steady_now() {
  return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace traceml
