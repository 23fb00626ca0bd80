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

void VirtualTransport::fail(const std::string& sentence, ExitCode code) {
  real_.fail(sentence, code);
  std::abort();  // not reached; g++ forgets that a virtual function does not return
}

}  // namespace traceml
