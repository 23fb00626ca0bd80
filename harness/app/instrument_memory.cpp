#include "harness/app/instrument_memory.h"

#include <fmt/format.h>

#include <vector>

namespace traceml {
namespace {

std::string part(std::int64_t bytes, const char* where) {
  if (bytes <= 0) return fmt::format("no {} memory that can be seen", where);
  if (bytes < 1 << 20) return fmt::format("{} KiB of {} memory", (bytes + 1023) / 1024, where);
  return fmt::format("{:.1f} MiB of {} memory", static_cast<double>(bytes) / (1 << 20), where);
}

}  // namespace

std::string instrument_memory_text(const InstrumentMemory& memory) {
  std::vector<std::string> parts;
  if (memory.device) parts.push_back(part(*memory.device, "GPU"));
  if (memory.host) parts.push_back(part(*memory.host, "host"));
  return fmt::format("{}", fmt::join(parts, " and "));
}

}  // namespace traceml
