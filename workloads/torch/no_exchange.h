#pragma once

#include <vector>

#include "harness/ports/collective.h"

namespace traceml {

// workload.exchange: none. Every rank trains on its own gradients.
class NoExchange final : public Collective {
 public:
  void all_reduce_mean(const BucketView& /*bucket*/) override {}
  void wait(DeviceQueue /*queue*/) override {}
  void set_recording(bool /*on*/) override {}
  std::vector<CollectiveRecord> take_records() override { return {}; }
  const char* name() const override { return "none"; }
};

}  // namespace traceml
