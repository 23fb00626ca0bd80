#pragma once
// N ranks as threads of one process, for tests and for programs that want ranks without MPI.

#include <functional>
#include <memory>
#include <string>

#include "harness/ports/collective.h"
#include "harness/ports/host_clock.h"
#include "harness/ports/transport.h"

namespace traceml {

class ThreadGroup {
 public:
  // `clock` stamps the records of collectives and must outlive the group.
  ThreadGroup(int ranks, HostClock& clock);
  ~ThreadGroup();
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // fail() of a thread's transport throws RankEnded there; every other rank gets it from its
  // current or next call that waits for other ranks.
  std::unique_ptr<Transport> make_transport(Rank rank);

  // Buckets are averaged in rank order by the last rank that hands its part over, so the result
  // does not depend on timing. Float32 and bfloat16 host buckets.
  std::unique_ptr<Collective> make_collective(Rank rank);

  // Runs `program` once a rank, each in a thread; returns when all have ended. An exception that
  // leaves a program fails the group; then the first failure is thrown here as RankEnded.
  void run(const std::function<void(Transport&, Collective&)>& program);

  // The sentence of the first fail(), if any. Any thread.
  std::string failure() const;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace traceml
