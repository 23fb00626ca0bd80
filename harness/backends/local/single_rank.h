#pragma once
// A world of one rank: no launcher, nobody to meet.

#include <string>
#include <vector>

#include "harness/ports/collective.h"
#include "harness/ports/transport.h"

namespace traceml {

class SingleTransport final : public Transport {
 public:
  Rank rank() const override { return Rank{0}; }
  int world_size() const override { return 1; }
  void barrier() override {}
  std::vector<std::string> gather(const std::string& bytes) override { return {bytes}; }
  std::string broadcast(const std::string& bytes) override { return bytes; }

  // Prints the sentence and ends the process at once: no destructor runs, for other threads may
  // still work.
  [[noreturn]] void fail(const std::string& sentence, ExitCode code) override;
};

// The mean over one rank is the bucket itself. Nothing is exchanged, so there are no records.
class SingleCollective final : public Collective {
 public:
  void all_reduce_mean(const BucketView&) override {}
  void wait(DeviceQueue) override {}
  void set_recording(bool) override {}
  std::vector<CollectiveRecord> take_records() override { return {}; }
  const char* name() const override { return "single"; }
};

}  // namespace traceml
