#include "harness/analysis/timeline_names.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace traceml {
namespace {

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool holds_in_any_case(std::string_view text, std::string_view lower) {
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(), same) != text.end();
}

}  // namespace

bool is_step(std::string_view annotation) {
  return annotation.starts_with("ProfilerStep#");
}

bool is_communication(std::string_view kernel) {
  return holds(kernel, "nccl") || holds(kernel, "rccl");
}

bool is_input(std::string_view range) {
  // The last two are the phases of this harness and of the usual tutorials.
  constexpr std::array<std::string_view, 7> kWords = {"dataloader", "data_load", "data load",
                                                      "next_batch", "get_batch", "load_batch",
                                                      "input_wait"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [range](std::string_view word) { return holds_in_any_case(range, word); });
}

bool is_synchronising(std::string_view call) {
  return holds(call, "Synchronize");
}

bool is_copy_call(std::string_view call) {
  return holds(call, "Memcpy");
}

bool is_launch(std::string_view call) {
  return holds(call, "LaunchKernel") || holds(call, "LaunchCooperative") || is_graph_launch(call);
}

bool is_memory_call(std::string_view call) {
  // cudaMalloc(Async, Managed, Host), hipMalloc, cuMemAlloc, cuMemCreate and cuMemMap (expandable
  // segments), cudaHostAlloc, cudaHostRegister; and what gives back.
  constexpr std::array<std::string_view, 8> kWords = {
      "Malloc", "MemAlloc", "MemCreate", "MemMap", "Free", "HostAlloc", "HostRegister", "MemUnmap"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [call](std::string_view word) { return holds(call, word); });
}

bool is_module_call(std::string_view call) {
  return holds(call, "ModuleLoad") || holds(call, "LibraryLoad");
}

bool is_graph_launch(std::string_view call) {
  return holds(call, "GraphLaunch");
}

bool is_pageable(std::string_view copy) {
  return holds(copy, "Pageable");
}

bool is_host_to_device(std::string_view copy) {
  return holds(copy, "HtoD");
}

}  // namespace traceml
