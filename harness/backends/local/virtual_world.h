#pragma once
// Simulated time. Every rank holds the times of all ranks and advances them alike, so that no rank
// has to ask another one: ranks that make the same calls hold the same times.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/transport.h"

namespace traceml {

// One thread a process uses it.
class VirtualWorld {
 public:
  // All ranks start at `epoch`.
  VirtualWorld(int ranks, Nanos epoch);

  int size() const noexcept { return static_cast<int>(times_.size()); }
  Nanos now(Rank rank) const noexcept { return times_[static_cast<std::size_t>(rank.value)]; }
  void advance(Rank rank, Nanos by) noexcept { times_[static_cast<std::size_t>(rank.value)] += by; }

  // All ranks wait for the latest one, then go on after `cost`. Returns the meeting's time.
  Nanos meet(Nanos cost) noexcept;

  // Of all times: equal on ranks that simulated the same.
  std::uint64_t digest() const noexcept;

 private:
  std::vector<Nanos> times_;
};

// One rank's view. The thread that advances the world is the only one to ask.
class VirtualHostClock final : public HostClock {
 public:
  // `world` outlives the clock.
  VirtualHostClock(const VirtualWorld& world, Rank rank) : world_(world), rank_(rank) {}
  Nanos now() noexcept override { return world_.now(rank_); }

 private:
  const VirtualWorld& world_;
  Rank rank_;
};

// The real transport, whose barrier is one in the virtual world, too. The others cost no virtual
// time.
class VirtualTransport final : public Transport {
 public:
  // Both outlive the transport.
  VirtualTransport(Transport& real, VirtualWorld& world) : real_(real), world_(world) {}

  Rank rank() const override { return real_.rank(); }
  int world_size() const override { return real_.world_size(); }
  void barrier() override {
    real_.barrier();
    world_.meet(Nanos{0});
  }
  std::vector<std::string> gather(const std::string& bytes) override { return real_.gather(bytes); }
  std::string broadcast(const std::string& bytes) override { return real_.broadcast(bytes); }
  [[noreturn]] void fail(const std::string& sentence, ExitCode code) override;
  [[noreturn]] void fail_after(const std::string& sentence, ExitCode code,
                               const std::function<void()>& after_words) override;
  bool failing() const override { return real_.failing(); }

 private:
  Transport& real_;
  VirtualWorld& world_;
};

}  // namespace traceml
