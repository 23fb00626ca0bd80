#include <fmt/format.h>

#include <string>
#include <string_view>

#include "harness/backends/nccl/nccl_internal.h"
#include "harness/core/error.h"

namespace traceml {

void check(cudaError_t code, const char* call, std::source_location where) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // told here: the next caller that asks for it shall not find it
  const std::string_view path = where.file_name();
  throw RunError(fmt::format("{} failed: {} ({}), at {}:{}", call, cudaGetErrorString(code),
                             cudaGetErrorName(code), path.substr(path.rfind('/') + 1),
                             where.line()));
}

void fail(ncclResult_t code, const char* call, ncclComm_t communicator) {
  const char* last = ncclGetLastError(communicator);
  const std::string more = last == nullptr ? "" : last;
  throw RunError(fmt::format("{} failed: {}{}; NCCL_DEBUG=WARN shows more", call,
                             ncclGetErrorString(code), more.empty() ? "" : " (" + more + ")"));
}

EventHandle make_nccl_event(unsigned flags) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return EventHandle(event);
}

StreamHandle make_urgent_stream() {
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest),
        "cudaStreamCreateWithPriority");
  return StreamHandle(stream);
}

}  // namespace traceml
