#include "workloads/torch/operator_recorder.h"

#include <ATen/record_function.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "workloads/torch/operator_room.h"

namespace traceml {
namespace {

// ResNet-152 runs some 5,000 a step, half of them on the autograd engine's thread.
constexpr std::size_t kPerStep = 8192;
constexpr std::size_t kMostOperators = std::size_t{1} << 20;  // of a thread; 150 MB where it fills
constexpr std::size_t kMostThreads = 8;

Nanos now() {
  return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
}

struct ThreadRoom {
  std::mutex mutex;  // taken by its thread, and by begin() and end()
  OperatorRoom room;
  HostThread thread;
};

// libtorch's callbacks are plain functions of the whole process, and one of another thread may
// still run when they have been taken away: what they use stays.
struct Recording {
  std::array<ThreadRoom, kMostThreads> rooms;
  std::atomic<std::uint64_t> number{0};  // odd: on
  std::atomic<std::size_t> claimed{0};
  std::atomic<std::int64_t> without_room{0};  // operators of further threads
};

Recording& recording() {
  static Recording all;
  return all;
}

// The calling thread's room in the recording that is on, nullptr where there is none left.
ThreadRoom* claim(std::uint64_t number) {
  thread_local std::uint64_t claimed_in = 0;
  thread_local ThreadRoom* mine = nullptr;
  if (claimed_in == number) return mine;
  claimed_in = number;
  const std::size_t place = recording().claimed.fetch_add(1);
  mine = place < kMostThreads ? &recording().rooms[place] : nullptr;
  if (mine == nullptr) return mine;
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  const std::lock_guard lock(mine->mutex);
  mine->thread = {"0", std::to_string(::gettid()), name.data()};
  return mine;
}

void add_tensor(const at::Tensor& tensor, OperatorDims& dims) {
  const at::IntArrayRef sizes = tensor.defined() ? tensor.sizes() : at::IntArrayRef();
  dims.add(static_cast<std::int64_t>(sizes.size()));
  for (const std::int64_t size : sizes) dims.add(size);
}

void add_input(const c10::IValue& input, OperatorDims& dims) {
  if (input.isTensor()) {
    add_tensor(input.toTensor(), dims);
  } else if (input.isTensorList()) {
    const c10::List<at::Tensor> list = input.toTensorList();
    dims.add(-static_cast<std::int64_t>(list.size()) - 1);
    for (std::size_t i = 0; i < list.size(); ++i) add_tensor(list.get(i), dims);
  } else {
    dims.add(0);
  }
}

std::unique_ptr<at::ObserverContext> on_begin(const at::RecordFunction& call) {
  const std::uint64_t number = recording().number;
  if (number % 2 == 0) return nullptr;
  ThreadRoom* const mine = claim(number);
  if (mine == nullptr) {
    ++recording().without_room;
    return nullptr;
  }
  const std::lock_guard lock(mine->mutex);
  if (recording().number != number) return nullptr;
  mine->room.begin(&call, call.name(), call.seqNr(), [&call](OperatorDims& dims) {
    for (const c10::IValue& input : call.inputs()) add_input(input, dims);
  });
  if (mine->room.is_open(&call)) mine->room.started(now());  // recording it is not its time
  return nullptr;
}

void on_end(const at::RecordFunction& call, at::ObserverContext* /*context*/) {
  const Nanos end = now();
  const std::uint64_t number = recording().number;
  if (number % 2 == 0) return;
  ThreadRoom* const mine = claim(number);
  if (mine == nullptr) return;
  const std::lock_guard lock(mine->mutex);
  if (recording().number == number) mine->room.end(&call, end);
}

class OperatorRecorder final : public OperatorTrace {
 public:
  ~OperatorRecorder() override { switch_off(); }

  void begin(std::int64_t steps) override {
    switch_off();
    const std::size_t room = std::min(static_cast<std::size_t>(steps) * kPerStep, kMostOperators);
    for (ThreadRoom& one : recording().rooms) {
      const std::lock_guard lock(one.mutex);
      one.room.make_room(room);
    }
    recording().claimed = 0;
    recording().without_room = 0;
    ++recording().number;
    handle_ = at::addGlobalCallback(
        at::RecordFunctionCallback(on_begin, on_end)
            .needsInputs(true)
            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  }

  OperatorEvents end() override {
    switch_off();
    OperatorEvents events;
    for (ThreadRoom& one : recording().rooms) {
      const std::lock_guard lock(one.mutex);
      if (&one - recording().rooms.data() < static_cast<std::ptrdiff_t>(recording().claimed)) {
        events.threads.push_back(one.thread);
      }
      one.room.take(static_cast<ThreadIndex>(events.threads.size() - 1), &events);
    }
    events.dropped += recording().without_room;
    return events;
  }

 private:
  void switch_off() {
    if (!handle_) return;
    at::removeCallback(*handle_);
    handle_.reset();
    ++recording().number;
  }

  std::optional<at::CallbackHandle> handle_;  // null: off
};

}  // namespace

std::unique_ptr<OperatorTrace> make_operator_recorder() {
  return std::make_unique<OperatorRecorder>();
}

}  // namespace traceml
