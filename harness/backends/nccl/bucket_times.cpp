#include "harness/backends/nccl/bucket_times.h"

#include <algorithm>
#include <cmath>

namespace traceml {
namespace {

std::optional<Nanos> elapsed(cudaEvent_t from, cudaEvent_t to) {
  float milliseconds = 0;
  if (cudaEventElapsedTime(&milliseconds, from, to) != cudaSuccess) {
    cudaGetLastError();  // told by the null
    return std::nullopt;
  }
  return Nanos{std::llround(static_cast<double>(milliseconds) * 1e6)};
}

}  // namespace

BucketTimes::BucketTimes(std::size_t buckets) {
  enlarge(buckets);
}

const BucketEvents* BucketTimes::begin(const BucketView& bucket, Nanos issued) {
  const std::size_t number = records_.size();
  const std::int64_t width = bucket.type == ElementType::kFloat32 ? 4 : 2;
  records_.push_back({.arm = {},
                      .window = std::nullopt,
                      .step = {},
                      .bucket = bucket.bucket,
                      .bytes = bucket.count * width,
                      .issue_host = issued,
                      .arrival = std::nullopt,
                      .start = std::nullopt,
                      .end = std::nullopt,
                      .clock = "device"});
  return number < pool_.size() ? &pool_[number] : nullptr;
}

std::vector<CollectiveRecord> BucketTimes::take() {
  // An elapsed time is a float of milliseconds, which is coarse over a long span: so each arrival
  // is counted from the one before it.
  const BucketEvents* before = nullptr;
  Nanos arrival{};
  for (std::size_t i = 0; i < std::min(records_.size(), pool_.size()); ++i) {
    const BucketEvents& events = pool_[i];
    const auto since = before == nullptr ? elapsed(events.ready.get(), events.ready.get())
                                         : elapsed(before->ready.get(), events.ready.get());
    const auto waited = elapsed(events.ready.get(), events.start.get());
    const auto ran = elapsed(events.start.get(), events.end.get());
    if (!since || !waited || !ran) continue;
    before = &events;
    arrival += *since;
    records_[i].arrival = arrival;
    records_[i].start = arrival + *waited;
    records_[i].end = arrival + *waited + *ran;
  }
  std::vector<CollectiveRecord> taken = records_;
  records_.clear();
  if (taken.size() > pool_.size()) enlarge(taken.size());
  return taken;
}

void BucketTimes::enlarge(std::size_t buckets) {
  records_.reserve(buckets);
  while (pool_.size() < buckets) {
    pool_.push_back({make_nccl_event(cudaEventDefault), make_nccl_event(cudaEventDefault),
                     make_nccl_event(cudaEventDefault)});
  }
}

}  // namespace traceml
