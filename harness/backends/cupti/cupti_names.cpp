#include "harness/backends/cupti/cupti_names.h"

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <memory>

namespace traceml {
namespace {

struct FreeText {
  void operator()(char* text) const noexcept { std::free(text); }
};

// By CUpti_ActivityMemoryKind.
std::string memory_name(unsigned kind) {
  constexpr std::array<std::string_view, 8> kNames = {"Unknown",       "Pageable",      "Pinned",
                                                      "Device",        "Array",         "Managed",
                                                      "Device Static", "Managed Static"};
  return std::string(kind < kNames.size() ? kNames[kind] : kNames[0]);
}

}  // namespace

// By CUpti_ActivityMemcpyKind.
std::string copy_name(unsigned kind, unsigned from, unsigned to) {
  constexpr std::array<std::string_view, 11> kDirections = {
      "Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
  const std::string direction(kDirections[kind < kDirections.size() ? kind : 0]);
  return "Memcpy " + direction + " (" + memory_name(from) + " -> " + memory_name(to) + ")";
}

std::string memset_name(unsigned memory) {
  return "Memset (" + memory_name(memory) + ")";
}

std::string overhead_name(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return "Driver Compiler";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return "Buffer Flush";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return "Instrumentation";
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return "Resource";
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
      return "Runtime Triggered Module Loading";
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return "Lazy Function Loading";
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL:
      return "Command Buffer Full";
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST:
      return "Activity Buffer Request";
    case CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT:
      return "UVM Activity Init";
    default:
      return "Overhead";
  }
}

std::string kernel_name(const char* mangled) {
  if (mangled == nullptr) return "unknown kernel";
  int status = 0;
  const std::unique_ptr<char, FreeText> plain(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status));
  return status == 0 && plain ? plain.get() : mangled;
}

std::string_view without_version(std::string_view call) {
  const std::size_t version = call.rfind("_v");
  if (version != std::string_view::npos && version + 2 < call.size() &&
      call.find_first_not_of("0123456789", version + 2) == std::string_view::npos) {
    call = call.substr(0, version);
  }
  for (const std::string_view ending : {"_ptsz", "_ptds"}) {
    if (call.ends_with(ending)) call.remove_suffix(ending.size());
  }
  return call;
}

}  // namespace traceml
