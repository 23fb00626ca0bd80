#pragma once
// Words for what CUPTI numbers, as torch.profiler has them, so that one reader knows both.

#include <cupti.h>

#include <string>
#include <string_view>

namespace traceml {

std::string copy_name(unsigned kind, unsigned from,
                      unsigned to);                          // "Memcpy HtoD (Pinned -> Device)"
std::string memset_name(unsigned memory);                    // "Memset (Device)"
std::string overhead_name(CUpti_ActivityOverheadKind kind);  // "Command Buffer Full"
std::string kernel_name(const char* mangled);                // as in the source

// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel".
std::string_view without_version(std::string_view call);

}  // namespace traceml
