#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace traceml {

// What the instruments of a rank hold from before the first window to after the last, in bytes:
// the pool of events and the records of a window. Null: not known, or nothing there.
struct InstrumentMemory {
  std::optional<std::int64_t> device;  // growth of the device's memory as the pool was made
  std::optional<std::int64_t> host;
};

// "2.0 MiB of GPU memory and 1.3 MiB of host memory"; what is not known is left out. "no GPU memory
// that can be seen": the runtime tells it in steps of some MiB. Empty where nothing is known.
std::string instrument_memory_text(const InstrumentMemory& memory);

}  // namespace traceml
