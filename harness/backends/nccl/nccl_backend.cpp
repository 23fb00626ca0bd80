#include "harness/backends/nccl/nccl_backend.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "harness/backends/nccl/bucket_times.h"
#include "harness/backends/nccl/nccl_communicator.h"
#include "harness/backends/nccl/nccl_internal.h"
#include "harness/backends/nccl/nccl_meeting.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

// What the collective needs of its device, made before the ranks meet.
struct DeviceSide {
  explicit DeviceSide(std::size_t bucket_records)
      : stream(make_urgent_stream()),
        ready(make_nccl_event(cudaEventDisableTiming)),
        done(make_nccl_event(cudaEventDisableTiming)),
        times(bucket_records) {}

  StreamHandle stream;
  EventHandle ready;  // of a bucket that is not timed; recorded anew for each
  EventHandle done;
  BucketTimes times;
};

class NcclCollective final : public Collective {
 public:
  NcclCollective(HostClock& clock, int device, Seconds limit, DeviceSide side)
      : clock_(clock), side_(std::move(side)), communicator_(device, limit) {}

  void join(const std::string& identifier, const Transport& transport) {
    communicator_.join(identifier, transport.rank(), transport.world_size());
  }

  void all_reduce_mean(const BucketView& bucket) override {
    refuse_host(bucket.queue);
    const cudaStream_t queue = nccl_stream_of(bucket.queue);
    const cudaStream_t stream = side_.stream.get();
    const BucketEvents* timed = nullptr;
    if (recording_ && !is_capturing(queue)) timed = side_.times.begin(bucket, clock_.now());
    const cudaEvent_t ready = timed != nullptr ? timed->ready.get() : side_.ready.get();
    check(cudaEventRecord(ready, queue), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream, ready, 0), "cudaStreamWaitEvent");
    if (timed != nullptr) check(cudaEventRecord(timed->start.get(), stream), "cudaEventRecord");
    communicator_.all_reduce_mean(bucket.data, bucket.count, bucket.type, stream);
    if (timed != nullptr) check(cudaEventRecord(timed->end.get(), stream), "cudaEventRecord");
    handed_over_ = true;
  }

  void wait(DeviceQueue queue) override {
    // The stream is no part of a capture that has handed nothing over.
    if (handed_over_) {
      refuse_host(queue);
      check(cudaEventRecord(side_.done.get(), side_.stream.get()), "cudaEventRecord");
      check(cudaStreamWaitEvent(nccl_stream_of(queue), side_.done.get(), 0), "cudaStreamWaitEvent");
      handed_over_ = false;
    }
    communicator_.throw_if_failed();
  }

  void set_recording(bool on) override { recording_ = on; }
  std::vector<CollectiveRecord> take_records() override { return side_.times.take(); }
  void abort() noexcept override { communicator_.abort(); }
  const char* name() const override { return "nccl"; }

 private:
  static void refuse_host(DeviceQueue queue) {
    if (queue != DeviceQueue{}) return;
    throw RunError(
        "NCCL averages buckets of a device only, ready in a queue of it; the legacy default stream "
        "is 1, not 0");
  }

  static bool is_capturing(cudaStream_t queue) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(queue, &status), "cudaStreamIsCapturing");
    return status != cudaStreamCaptureStatusNone;
  }

  HostClock& clock_;
  DeviceSide side_;
  NcclCommunicator communicator_;  // leaves before the stream goes
  bool recording_ = false;
  bool handed_over_ = false;  // since the last wait()
};

std::string words_of(int version) {
  // Coded so since NCCL 2.9.
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace

bool nccl_built() {
  return true;
}

std::string nccl_version() {
  int version = 0;
  const ncclResult_t code = ncclGetVersion(&version);
  if (code != ncclSuccess) fail(code, "ncclGetVersion", nullptr);
  return words_of(version);
}

std::unique_ptr<Collective> make_nccl_collective(Transport& transport, HostClock& clock, int device,
                                                 const NcclOptions& options) {
  NcclRank own;
  std::optional<DeviceSide> side;
  try {
    own.version = nccl_version();
    check(cudaSetDevice(device), "cudaSetDevice");
    side.emplace(options.bucket_records);
  } catch (const Error& error) {
    own.failure = error.what();
  }
  const std::string identifier = meet_before_nccl(transport, own, make_nccl_identifier);
  auto collective =
      std::make_unique<NcclCollective>(clock, device, options.join_limit, std::move(*side));
  collective->join(identifier, transport);
  return collective;
}

}  // namespace traceml
