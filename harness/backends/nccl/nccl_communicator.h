#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "harness/backends/nccl/nccl_internal.h"
#include "harness/core/ids.h"
#include "harness/core/units.h"
#include "harness/ports/collective.h"

namespace traceml {

// 128 bytes that name a communicator to be; made by one rank.
std::string make_nccl_identifier();

// One rank's end of a non-blocking communicator. One thread at a time calls in, but for abort().
class NcclCommunicator {
 public:
  NcclCommunicator(int device, Seconds limit) : device_(device), limit_(limit) {}
  // Aborts after a failure, else leaves in good order; at most a few seconds either way.
  ~NcclCommunicator();
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  // Returns when all ranks have joined. Throws RunError after the time limit, too.
  void join(const std::string& identifier, Rank rank, int world_size);

  // Returns when the exchange lies in `stream`. Throws RunError as join().
  void all_reduce_mean(void* data, std::int64_t count, ElementType type, cudaStream_t stream);

  // Throws RunError where an exchange has failed meanwhile.
  void throw_if_failed();

  // Any thread: ends what runs on the device. Gives up where a thread does not leave NCCL.
  void abort() noexcept;

 private:
  using Lock = std::unique_lock<std::timed_mutex>;

  Lock enter();
  // Polls until NCCL has done what `call` began.
  void complete(ncclResult_t begun, const char* call);
  [[noreturn]] void give_up(ncclResult_t code, const char* call);
  void abandon() noexcept;

  const int device_;
  const Seconds limit_;
  std::timed_mutex inside_;  // held by the thread that is inside NCCL
  ncclComm_t communicator_ = nullptr;
  std::atomic<bool> aborting_{false};
  bool failed_ = false;  // under inside_
};

}  // namespace traceml
