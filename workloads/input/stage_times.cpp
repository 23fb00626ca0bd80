#include "workloads/input/stage_times.h"

#include <time.h>

#include <chrono>

namespace traceml {
namespace {

class RealStageClock final : public StageClock {
 public:
  Nanos now() const noexcept override {
    return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
  }
  Nanos thread_cpu() const noexcept override {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + Nanos(time.tv_nsec);
  }
};

}  // namespace

const StageClock& real_stage_clock() {
  static const RealStageClock clock;
  return clock;
}

}  // namespace traceml
