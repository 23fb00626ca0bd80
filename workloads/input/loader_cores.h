#pragma once
// Where loader threads run, so that they do not hold up the threads that launch the step.

#include <string>
#include <thread>
#include <vector>

namespace traceml {

// Of one rank. `loaders` and `kept_free` together are the cores that the rank may use, ascending.
struct LoaderCores {
  std::vector<int> loaders;    // where loader threads may run
  std::vector<int> kept_free;  // for threads that launch work; empty where cores are too few
  friend bool operator==(const LoaderCores&, const LoaderCores&) = default;
};

// Keeps two of the `allowed` cores (ascending) free for each of the `ranks` that may use them: one
// for the thread that launches the step, one for that of the autograd engine. Loader threads get
// the others where every rank has four or more, all of them where it has fewer. The last cores are
// kept free: the first ones serve most interrupts. Ranks that share all their cores keep the same
// ones free.
LoaderCores loader_cores(const std::vector<int>& allowed, int ranks);

// "0-3,8".
std::string core_list(const std::vector<int>& cores);

// Binds running threads to cores.loaders (none: leaves them where they may run now) and gives them
// SCHED_BATCH, under which a thread that wakes up does not push another off its core. Returns what
// is to be told of it: "on cores 0-13, 14-15 kept free, batch priority". A system that refuses the
// priority is told there; throws RunError where it refuses the cores.
std::string place_loader_threads(std::vector<std::thread>& threads, const LoaderCores& cores);

}  // namespace traceml
