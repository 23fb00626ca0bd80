#include "harness/backends/nccl/nccl_memory.h"

#include "harness/backends/nccl/nccl_internal.h"

namespace traceml {
namespace {

struct FreeMemory {
  void operator()(void* memory) const noexcept { cudaFree(memory); }
};

class NcclSweepMemory final : public SweepMemory {
 public:
  explicit NcclSweepMemory(std::int64_t max_bytes) : stream_(make_urgent_stream()) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, static_cast<std::size_t>(max_bytes)), "cudaMalloc");
    memory_.reset(memory);
  }

  DeviceQueue queue() const override { return {reinterpret_cast<std::uintptr_t>(stream_.get())}; }
  void* data() override { return memory_.get(); }

  void write(const std::vector<float>& values) override {
    copy(memory_.get(), values.data(), values.size());
  }
  void read(std::vector<float>* values) override {
    copy(values->data(), memory_.get(), values->size());
  }

  void finish() override { check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize"); }

 private:
  void copy(void* to, const void* from, std::size_t count) {
    check(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDefault, stream_.get()),
          "cudaMemcpyAsync");
    finish();
  }

  StreamHandle stream_;
  std::unique_ptr<void, FreeMemory> memory_;
};

}  // namespace

int nccl_device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  cudaGetLastError();  // told by the zero
  return 0;
}

std::unique_ptr<SweepMemory> make_nccl_sweep_memory(int device, std::int64_t max_bytes) {
  check(cudaSetDevice(device), "cudaSetDevice");
  return std::make_unique<NcclSweepMemory>(max_bytes);
}

}  // namespace traceml
