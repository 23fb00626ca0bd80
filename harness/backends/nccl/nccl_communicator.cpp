#include "harness/backends/nccl/nccl_communicator.h"

#include <fmt/format.h>
#include <sched.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "harness/core/error.h"

namespace traceml {
namespace {

using Clock = std::chrono::steady_clock;

// A process that fails has little more before its launcher kills it.
constexpr std::chrono::milliseconds kAbortLimit{700};
constexpr std::chrono::seconds kLeaveLimit{5};

// False: `action` still runs after `limit` and is left to itself.
bool done_within(std::chrono::milliseconds limit, std::function<void()> action) {
  std::promise<void> promise;
  const std::future<void> done = promise.get_future();
  std::thread([action = std::move(action), promise = std::move(promise)]() mutable {
    action();
    promise.set_value();
  }).detach();
  return done.wait_for(limit) == std::future_status::ready;
}

// Yields at first: an enqueued bucket takes some tens of microseconds.
class Patience {
 public:
  explicit Patience(Seconds limit)
      : begun_(Clock::now()), limit_(std::chrono::duration_cast<Clock::duration>(limit)) {}

  // False: the limit has passed.
  bool pause() {
    const Clock::duration waited = Clock::now() - begun_;
    if (waited < std::chrono::milliseconds(2)) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return waited < limit_;
  }

 private:
  const Clock::time_point begun_;
  const Clock::duration limit_;
};

void leave_in_good_order(ncclComm_t communicator) {
  ncclResult_t state = ncclCommFinalize(communicator);
  Patience patience(kLeaveLimit);
  while (state == ncclInProgress && patience.pause()) {
    if (ncclCommGetAsyncError(communicator, &state) != ncclSuccess) state = ncclInternalError;
  }
  if (state == ncclSuccess) {
    ncclCommDestroy(communicator);
  } else {
    ncclCommAbort(communicator);
  }
}

ncclDataType_t type_of(ElementType type) {
  return type == ElementType::kFloat32 ? ncclFloat32 : ncclBfloat16;
}

}  // namespace

std::string make_nccl_identifier() {
  ncclUniqueId identifier{};
  const ncclResult_t code = ncclGetUniqueId(&identifier);
  if (code != ncclSuccess) fail(code, "ncclGetUniqueId", nullptr);
  return std::string(identifier.internal, sizeof identifier.internal);
}

NcclCommunicator::~NcclCommunicator() {
  try {
    const Lock lock(inside_, kAbortLimit);
    if (!lock) return;
    if (failed_) {
      abandon();
    } else if (communicator_ != nullptr) {
      done_within(kLeaveLimit + kAbortLimit,
                  [device = device_, leaving = std::exchange(communicator_, nullptr)] {
                    if (cudaSetDevice(device) == cudaSuccess) leave_in_good_order(leaving);
                  });
    }
  } catch (...) {
    // No thread could be started: the end of the process frees what is left.
  }
}

void NcclCommunicator::join(const std::string& bytes, Rank rank, int world_size) {
  const Lock lock = enter();
  ncclUniqueId identifier{};
  if (bytes.size() != sizeof identifier.internal) {
    give_up(ncclInvalidArgument, "ncclCommInitRankConfig");
  }
  std::memcpy(identifier.internal, bytes.data(), bytes.size());
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  complete(ncclCommInitRankConfig(&communicator_, world_size, identifier, rank.value, &config),
           "ncclCommInitRankConfig");
}

void NcclCommunicator::all_reduce_mean(void* data, std::int64_t count, ElementType type,
                                       cudaStream_t stream) {
  const Lock lock = enter();
  complete(ncclAllReduce(data, data, static_cast<std::size_t>(count), type_of(type), ncclAvg,
                         communicator_, stream),
           "ncclAllReduce");
}

void NcclCommunicator::throw_if_failed() {
  const Lock lock = enter();
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = ncclCommGetAsyncError(communicator_, &state);
  if (asked != ncclSuccess) give_up(asked, "ncclCommGetAsyncError");
  if (state != ncclSuccess && state != ncclInProgress) give_up(state, "an exchange over NCCL");
}

void NcclCommunicator::abort() noexcept {
  aborting_.store(true);
  try {
    const Lock lock(inside_, kAbortLimit);
    if (lock) abandon();
  } catch (...) {
    // As in the destructor.
  }
}

NcclCommunicator::Lock NcclCommunicator::enter() {
  Lock lock(inside_);
  if (failed_ || aborting_.load()) {
    throw RunError("the exchange over NCCL has failed before and cannot be gone on with");
  }
  return lock;
}

void NcclCommunicator::complete(ncclResult_t begun, const char* call) {
  ncclResult_t state = begun;
  Patience patience(limit_);
  while (state == ncclInProgress) {
    const ncclResult_t asked = ncclCommGetAsyncError(communicator_, &state);
    if (asked != ncclSuccess) give_up(asked, "ncclCommGetAsyncError");
    if (state != ncclInProgress) break;
    if (!patience.pause()) {
      failed_ = true;
      throw RunError(
          fmt::format("NCCL was not done with {} after {:g} s: is a rank missing or stopped? "
                      "NCCL_DEBUG=INFO shows what it waits for",
                      call, limit_.count()));
    }
    if (aborting_.load()) {
      failed_ = true;
      throw RunError(fmt::format("{} was given up, for the run is ending", call));
    }
  }
  if (state != ncclSuccess) give_up(state, call);
}

void NcclCommunicator::give_up(ncclResult_t code, const char* call) {
  failed_ = true;
  fail(code, call, communicator_);
}

// Under inside_.
void NcclCommunicator::abandon() noexcept {
  failed_ = true;
  const ncclComm_t leaving = std::exchange(communicator_, nullptr);
  if (leaving == nullptr) return;
  try {
    done_within(kAbortLimit, [device = device_, leaving] {
      if (cudaSetDevice(device) == cudaSuccess) ncclCommAbort(leaving);
    });
  } catch (...) {
    // As in the destructor.
  }
}

}  // namespace traceml
