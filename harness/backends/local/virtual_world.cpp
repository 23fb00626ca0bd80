#include "harness/backends/local/virtual_world.h"

#include <algorithm>
#include <cstdlib>

namespace traceml {

VirtualWorld::VirtualWorld(int ranks, Nanos epoch)
    : times_(static_cast<std::size_t>(ranks), epoch) {}

Nanos VirtualWorld::meet(Nanos cost) noexcept {
  const Nanos latest = *std::max_element(times_.begin(), times_.end());
  std::fill(times_.begin(), times_.end(), latest + cost);
  return latest;
}

// FNV-1a over the times' nanoseconds, 64 bits at a time.
std::uint64_t VirtualWorld::digest() const noexcept {
  std::uint64_t hash = 14695981039346656037u;
  for (const Nanos time : times_) {
    hash = (hash ^ static_cast<std::uint64_t>(time.count())) * 1099511628211u;
  }
  return hash;
}

void VirtualTransport::fail(const std::string& sentence, ExitCode code) {
  real_.fail(sentence, code);
  std::abort();  // not reached; g++ forgets that a virtual function does not return
}

void VirtualTransport::fail_after(const std::string& sentence, ExitCode code,
                                  const std::function<void()>& after_words) {
  real_.fail_after(sentence, code, after_words);
  std::abort();
}

}  // namespace traceml
