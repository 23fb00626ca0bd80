#include "workloads/spin/pace.h"

#include <algorithm>

namespace traceml {
namespace {

class VirtualPace final : public Pace {
 public:
  VirtualPace(VirtualWorld& world, const StepTimeTable& table, Rank rank,
              VirtualDeviceClock* device)
      : world_(world), table_(table), rank_(rank), device_(device) {}

  void begin_window() override {
    if (device_ != nullptr) device_->begin_window();
  }
  void begin_step() override { follow(); }

  void work(Nanos time) override {
    world_.advance(rank_, time);
    follow();
  }

  // This rank has done its part up to here and does the rest by work(); the others' are done here.
  Meeting all_reduce(const StepPlace& place, Nanos cost) override {
    for_others(place, &StepTimes::before_meeting);
    Meeting meeting;
    meeting.arrival = world_.now(rank_);
    meeting.start = world_.meet(cost);
    meeting.end = world_.now(rank_);
    for_others(place, &StepTimes::after_meeting);
    follow();
    return meeting;
  }

  const char* exchange() const override { return "virtual"; }

 private:
  void for_others(const StepPlace& place, Nanos (StepTimes::*part)() const) {
    for (int other = 0; other < world_.size(); ++other) {
      if (Rank{other} == rank_) continue;
      world_.advance(Rank{other}, (table_.times(Rank{other}, place).*part)());
    }
  }

  void follow() {
    if (device_ != nullptr) device_->set_position(world_.now(rank_));
  }

  VirtualWorld& world_;
  const StepTimeTable& table_;
  Rank rank_;
  VirtualDeviceClock* device_;
};

class RealPace final : public Pace {
 public:
  RealPace(HostClock& clock, Collective& collective, VirtualDeviceClock* device)
      : clock_(clock), collective_(collective), device_(device) {}

  void begin_window() override {
    if (device_ != nullptr) device_->begin_window();
    collective_.set_recording(false);  // spin stamps its own records
  }

  void begin_step() override { move_to(clock_.now()); }

  // Deadlines follow each other, so that a late return is made up for in the next phase.
  void work(Nanos time) override {
    move_to(deadline_ + time);
    busy_wait_until(clock_, deadline_);
  }

  Meeting all_reduce(const StepPlace&, Nanos cost) override {
    Meeting meeting;
    meeting.arrival = clock_.now();
    collective_.all_reduce_mean(
        {.bucket = 0, .data = &number_, .count = 1, .type = ElementType::kFloat32, .queue = {}});
    collective_.wait({});
    meeting.start = clock_.now();
    move_to(std::max(deadline_, meeting.start) + cost);
    busy_wait_until(clock_, deadline_);
    meeting.end = clock_.now();
    return meeting;
  }

  const char* exchange() const override { return collective_.name(); }

 private:
  void move_to(Nanos deadline) {
    deadline_ = deadline;
    if (device_ != nullptr) device_->set_position(deadline);
  }

  HostClock& clock_;
  Collective& collective_;
  VirtualDeviceClock* device_;
  Nanos deadline_{};
  float number_ = 1;
};

}  // namespace

void busy_wait_until(HostClock& clock, Nanos deadline) noexcept {
  while (clock.now() < deadline) {
  }
}

std::unique_ptr<Pace> make_virtual_pace(VirtualWorld& world, const StepTimeTable& table, Rank rank,
                                        VirtualDeviceClock* device) {
  return std::make_unique<VirtualPace>(world, table, rank, device);
}

std::unique_ptr<Pace> make_real_pace(HostClock& clock, Collective& collective,
                                     VirtualDeviceClock* device) {
  return std::make_unique<RealPace>(clock, collective, device);
}

}  // namespace traceml
