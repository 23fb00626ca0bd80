#include <cmath>
#include <memory>
#include <vector>

#include "harness/backends/cuda/cuda_backend.h"
#include "harness/backends/cuda/cuda_handles.h"
#include "harness/ports/mark_slots.h"

namespace traceml {
namespace {

// Any call in a thread that has chosen no device would make a context on device 0.
void make_current(int device) noexcept {
  thread_local int current = -1;
  if (current == device) return;
  if (cudaSetDevice(device) == cudaSuccess) current = device;
}

class CudaDeviceClock final : public DeviceClock {
 public:
  CudaDeviceClock(int device, std::uint32_t marks)
      : device_(device), slots_(marks), resolved_(marks, Resolved::kNo) {
    check(cudaSetDevice(device));
    events_.reserve(marks);
    for (std::uint32_t i = 0; i < marks; ++i) events_.push_back(make_event(cudaEventDefault));
  }

  ~CudaDeviceClock() override { make_current(device_); }

  std::optional<DeviceMark> mark(DeviceQueue queue) noexcept override {
    const auto mark = slots_.next();
    if (!mark) return std::nullopt;
    if (cudaEventRecord(event(*mark), stream_of(queue)) != cudaSuccess) {
      forget_last_error();
      slots_.count_error();
      return std::nullopt;  // the slot stays free
    }
    slots_.take();
    return mark;
  }

  std::optional<DeviceMark> reserve() noexcept override {
    const auto mark = slots_.next();
    if (mark) slots_.take();
    return mark;
  }

  std::uintptr_t event_of(DeviceMark mark) const noexcept override {
    return reinterpret_cast<std::uintptr_t>(event(mark));
  }

  MarkState query(DeviceMark mark) noexcept override {
    Resolved& resolved = resolved_[mark.slot];
    if (resolved == Resolved::kFailed) return MarkState::kFailed;
    make_current(device_);
    const cudaError_t result = cudaEventQuery(event(mark));
    if (result == cudaSuccess) {
      resolved = Resolved::kReached;
      return MarkState::kReached;
    }
    forget_last_error();
    if (result == cudaErrorNotReady) return MarkState::kPending;
    resolved = Resolved::kFailed;
    slots_.count_error();
    return MarkState::kFailed;
  }

  std::optional<Nanos> elapsed(DeviceMark from, DeviceMark to) noexcept override {
    if (resolved_[from.slot] != Resolved::kReached) return std::nullopt;
    if (resolved_[to.slot] != Resolved::kReached) return std::nullopt;
    make_current(device_);
    float elapsed_ms = 0;
    if (cudaEventElapsedTime(&elapsed_ms, event(from), event(to)) != cudaSuccess) {
      forget_last_error();
      slots_.count_error();
      return std::nullopt;
    }
    return Nanos{std::llround(static_cast<double>(elapsed_ms) * 1e6)};
  }

  void recycle(DeviceMark mark) noexcept override {
    if (resolved_[mark.slot] == Resolved::kNo) {
      slots_.retire();
      return;
    }
    resolved_[mark.slot] = Resolved::kNo;
    slots_.give_back(mark);
  }

  DeviceClockCounters counters() const noexcept override { return slots_.counters(); }

 private:
  enum class Resolved : char { kNo, kReached, kFailed };

  cudaEvent_t event(DeviceMark mark) const noexcept { return events_[mark.slot].get(); }

  int device_;
  MarkSlots slots_;
  std::vector<Resolved> resolved_;  // by slot; sampler thread
  std::vector<Event> events_;       // by slot
};

}  // namespace

std::unique_ptr<DeviceClock> make_cuda_device_clock(int device, std::uint32_t marks) {
  return std::make_unique<CudaDeviceClock>(device, marks);
}

}  // namespace traceml
