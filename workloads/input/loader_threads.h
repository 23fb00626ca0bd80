#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "workloads/input/loader_cores.h"
#include "workloads/input/slot_ring.h"

namespace traceml {

// The threads that fill a loader's ring. They end before what they use does: end() is the first
// statement of their owner's destructor.
class LoaderThreads {
 public:
  // `ring` outlives the threads.
  explicit LoaderThreads(SlotRing& ring) : ring_(ring) {}
  ~LoaderThreads() { end(); }
  LoaderThreads(const LoaderThreads&) = delete;
  LoaderThreads& operator=(const LoaderThreads&) = delete;

  // Runs work(i) for each i below `count` on a thread of its own, placed on `cores`
  // (place_loader_threads()); it returns once the ring is closed. Once at most. Throws RunError
  // where the system refuses; then none runs.
  void start(int count, const LoaderCores& cores, std::function<void(int)> work);

  // Closes the ring and waits for the threads.
  void end();

  bool empty() const { return threads_.empty(); }

  // Where they run and how willingly they give way; empty without threads.
  const std::string& placement() const { return placement_; }

 private:
  SlotRing& ring_;
  std::function<void(int)> work_;
  std::vector<std::thread> threads_;
  std::string placement_;
};

}  // namespace traceml
