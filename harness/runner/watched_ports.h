#pragma once
// Ports that show in a rank's position that it waits for other ranks. They cost two stores a call.

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "harness/ports/collective.h"
#include "harness/ports/transport.h"
#include "harness/runner/position.h"

namespace traceml {

class WaitScope {
 public:
  explicit WaitScope(Position& position) : position_(position) { position_.begin_wait(); }
  ~WaitScope() { position_.end_wait(); }
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

 private:
  Position& position_;
};

// `inner` and `position` outlive it.
class WatchedTransport final : public Transport {
 public:
  WatchedTransport(Transport& inner, Position& position) : inner_(inner), position_(position) {}

  Rank rank() const override { return inner_.rank(); }
  int world_size() const override { return inner_.world_size(); }
  void barrier() override {
    const WaitScope waiting(position_);
    inner_.barrier();
  }
  std::vector<std::string> gather(const std::string& bytes) override {
    const WaitScope waiting(position_);
    return inner_.gather(bytes);
  }
  std::string broadcast(const std::string& bytes) override {
    const WaitScope waiting(position_);
    return inner_.broadcast(bytes);
  }
  [[noreturn]] void fail(const std::string& sentence, ExitCode code) override {
    inner_.fail(sentence, code);
    std::abort();  // not reached; g++ forgets that a virtual function does not return
  }
  [[noreturn]] void fail_after(const std::string& sentence, ExitCode code,
                               const std::function<void()>& after_words) override {
    inner_.fail_after(sentence, code, after_words);
    std::abort();
  }
  bool failing() const override { return inner_.failing(); }

 private:
  Transport& inner_;
  Position& position_;
};

// `inner` and `position` outlive it.
class WatchedCollective final : public Collective {
 public:
  WatchedCollective(Collective& inner, Position& position) : inner_(inner), position_(position) {}

  void all_reduce_mean(const BucketView& bucket) override { inner_.all_reduce_mean(bucket); }
  void wait(DeviceQueue queue) override {
    const WaitScope waiting(position_);
    inner_.wait(queue);
  }
  void set_recording(bool on) override { inner_.set_recording(on); }
  std::vector<CollectiveRecord> take_records() override { return inner_.take_records(); }
  void abort() noexcept override { inner_.abort(); }
  const char* name() const override { return inner_.name(); }

 private:
  Collective& inner_;
  Position& position_;
};

}  // namespace traceml
