#include "harness/backends/cupti/cupti_backend.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "harness/backends/cupti/cupti_buffers.h"
#include "harness/backends/cupti/cupti_library.h"
#include "harness/backends/cupti/cupti_names.h"
#include "harness/backends/cupti/cupti_records.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

// 64 MiB: some 60 steps of ResNet-50. More is allocated as it is needed.
constexpr std::size_t kBuffers = 16;

// CUPTI's callbacks have no argument of ours. One collector a process; it is never destroyed, since
// CUPTI may call until the process ends.
CuptiBuffers& buffers() {
  static CuptiBuffers* const all = new CuptiBuffers(kBuffers);
  return *all;
}

void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = buffers().take();
  *bytes = CuptiBuffers::kBytes;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI on_complete(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                          std::size_t used) {
  buffers().give(buffer, used);
}

// Calls that neither wait nor launch, and are made at every operator or by the sampler of events.
constexpr std::array kQuietCalls = {
    CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventElapsedTime_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000,
    CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetAttribute_v5000,
    CUPTI_RUNTIME_TRACE_CBID_cudaFuncGetAttributes_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6050,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventElapsedTime_v12080,
    CUPTI_RUNTIME_TRACE_CBID_cudaGetErrorString_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaGetErrorName_v6050,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetPriority_v5050,
    CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetStreamPriorityRange_v5050,
    CUPTI_RUNTIME_TRACE_CBID_cudaFuncSetAttribute_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaPointerGetAttributes_v4000,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v12030};

// Of the driver's calls those that launch, copy, wait or take memory: libraries make them without
// the runtime.
constexpr std::array kDriverCalls = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,       CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,        CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,        CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async,     CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,   CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize,
    CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,        CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemCreate,          CUPTI_DRIVER_TRACE_CBID_cuMemMap,
    CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,   CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData};

Nanos steady_now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

// The kernel's name for a thread of this process; "pt_autograd_0".
std::string thread_name(const std::string& thread) {
  std::ifstream file("/proc/self/task/" + thread + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

class CuptiTrace final : public ActivityTrace {
 public:
  CuptiTrace() = default;
  ~CuptiTrace() override { stop(); }
  CuptiTrace(const CuptiTrace&) = delete;
  CuptiTrace& operator=(const CuptiTrace&) = delete;

  std::string name() const override { return "CUPTI"; }

  void warm_up() override { switch_on(); }

  void begin() override {
    switch_on();
    or_off([this] {
      wait_for_device();
      flush();
      buffers().recycle(buffers().filled());
      dropped_ = dropped_so_far();
      begin_ = read_clocks();
    });
  }

  TimelineEvents end() override {
    ClockPair end;
    std::int64_t dropped = 0;
    or_off([&] {
      wait_for_device();
      end = read_clocks();
      flush();
      dropped = dropped_so_far() - dropped_;
    });
    switch_off();
    std::vector<FilledBuffer> filled = buffers().filled();
    TimelineEvents events = read(filled, ClockMap(begin_, end));
    OwnTraceFacts& own = *events.facts.own;
    own.dropped_records = dropped;
    own.full_buffers = static_cast<std::int64_t>(filled.size());
    for (const FilledBuffer& buffer : filled) own.buffer_bytes += std::int64_t(buffer.used);
    buffers().recycle(std::move(filled));
    name_threads(&events);
    name_devices(&events);
    const auto unix = std::chrono::system_clock::now().time_since_epoch();
    events.base = std::chrono::duration_cast<Nanos>(unix) - steady_now();
    return events;
  }

  // Asks CUPTI also where it should be off: records that are there then betray that it is not.
  std::int64_t stop() noexcept override {
    if (!was_on_) return 0;
    std::int64_t bytes = 0;
    try {
      flush();
      std::vector<FilledBuffer> filled = buffers().filled();
      for (const FilledBuffer& buffer : filled) bytes += std::int64_t(buffer.used);
      buffers().recycle(std::move(filled));
    } catch (const std::exception&) {  // what was recorded cannot be told; it is thrown away
      bytes = 0;
    }
    switch_off();
    return bytes;
  }

 private:
  const CuptiLibrary& cupti() const { return cupti_library(); }

  // Of all streams: loaders copy and decode on their own.
  static void wait_for_device() {
    const cudaError_t result = cudaDeviceSynchronize();
    if (result == cudaSuccess) return;
    throw RunError(fmt::format("the device's work beside the trace failed: {}: {}",
                               cudaGetErrorName(result), cudaGetErrorString(result)));
  }

  template <class Work>
  void or_off(const Work& work) {
    try {
      work();
    } catch (...) {
      switch_off();
      throw;
    }
  }

  void switch_on() {
    if (on_) return;
    register_once();
    try {
      for (const CollectedKind& one : kCollected) {
        cupti().check(cupti().enable(one.kind), "be switched on");
      }
      for (const auto call : kQuietCalls) cupti().enable_runtime_call(call, 0);
      quieten_driver();
    } catch (const RunError&) {
      disable_all();
      throw;
    }
    on_ = was_on_ = true;
  }

  // Calls that are switched on one by one, without their kind, leave no record (CUPTI 13.0).
  void quieten_driver() {
    for (int call = 1; call < CUPTI_DRIVER_TRACE_CBID_SIZE; ++call) {
      if (std::find(kDriverCalls.begin(), kDriverCalls.end(), call) == kDriverCalls.end()) {
        cupti().enable_driver_call(static_cast<CUpti_CallbackId>(call), 0);
      }
    }
  }

  void register_once() {
    static std::once_flag once;
    std::call_once(once, [this] {
      buffers();
      cupti().check(cupti().set_thread_id_type(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM),
                    "number threads as the system does");
      std::uint8_t zeroed = 1;
      std::size_t bytes = sizeof zeroed;
      cupti().check(
          cupti().set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &zeroed),
          "be told of its buffers");
      cupti().check(cupti().register_callbacks(on_request, on_complete), "take our buffers");
    });
  }

  void disable_all() noexcept {
    for (const CollectedKind& one : kCollected) cupti().disable(one.kind);
  }

  void switch_off() noexcept {
    disable_all();
    on_ = false;
  }

  void flush() { cupti().check(cupti().flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "be flushed"); }

  std::int64_t dropped_so_far() const {
    std::size_t dropped = 0;
    cupti().dropped_records(nullptr, 0, &dropped);
    dropped_total_ += static_cast<std::int64_t>(dropped);  // CUPTI tells those since the last call
    return dropped_total_;
  }

  ClockPair read_clocks() const {
    return read_together(
        [this] {
          std::uint64_t now = 0;
          cupti().check(cupti().timestamp(&now), "tell its time");
          return static_cast<std::int64_t>(now);
        },
        steady_now);
  }

  std::string call_name(CUpti_CallbackDomain domain, CUpti_CallbackId call) const {
    const char* name = nullptr;
    cupti().callback_name(domain, call, &name);
    return name == nullptr ? fmt::format("call {}", call) : name;
  }

  TimelineEvents read(const std::vector<FilledBuffer>& filled, const ClockMap& clock) const {
    CuptiRecords records(clock, begin_.steady, static_cast<std::uint32_t>(::gettid()),
                         [this](auto domain, auto call) { return call_name(domain, call); });
    for (const FilledBuffer& buffer : filled) {
      CUpti_Activity* record = nullptr;
      while (cupti().next_record(buffer.bytes.get(), buffer.used, &record) == CUPTI_SUCCESS) {
        records.add(*record);
      }
    }
    return records.take();
  }

  static void name_threads(TimelineEvents* events) {
    for (HostThread& thread : events->threads) thread.name = thread_name(thread.thread);
    events->threads.front().name = "training";
  }

  static void name_devices(TimelineEvents* events) {
    for (const std::string& device : events->devices) {
      cudaDeviceProp properties{};
      if (cudaGetDeviceProperties(&properties, std::stoi(device)) != cudaSuccess) continue;
      events->facts.devices = properties.name;
    }
  }

  bool on_ = false;
  bool was_on_ = false;
  mutable std::int64_t dropped_total_ = 0;
  std::int64_t dropped_ = 0;
  ClockPair begin_;
};

}  // namespace

bool cupti_built() {
  return true;
}

std::unique_ptr<ActivityTrace> make_cupti_trace() {
  return std::make_unique<CuptiTrace>();
}

}  // namespace traceml
