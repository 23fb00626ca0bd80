#include "workloads/spin/pace.h"

namespace traceml {
namespace {

class VirtualPace : public Pace {
 public:
  VirtualPace(VirtualWorld& world, const StepTimeTable& table, Rank rank,
              VirtualDeviceClock* device)
      : world_(world), table_(table), rank_(rank), device_(device) {}

  void begin_window() override {
    if (device_ != nullptr) device_->begin_window();
  }
  void begin_step() override { reach(world_.now(rank_)); }
  void finish() override {}

  void work(Nanos time) override {
    world_.advance(rank_, time);
    reach(world_.now(rank_));
  }

  // This rank has done its part up to here and does the rest by work(); the others' are done here.
  Meeting all_reduce(const StepPlace& place, Nanos cost) override {
    for_others(place, &StepTimes::before_meeting);
    Meeting meeting;
    meeting.arrival = world_.now(rank_);
    meeting.start = world_.meet(cost);
    meeting.end = world_.now(rank_);
    for_others(place, &StepTimes::after_meeting);
    reach(meeting.end);
    return meeting;
  }

  std::uint64_t digest() const override { return world_.digest(); }

 protected:
  // The simulated time of this rank is `now`.
  virtual void reach(Nanos now) { set_device(now); }

  void set_device(Nanos position) {
    if (device_ != nullptr) device_->set_position(position);
  }
  VirtualWorld& world() { return world_; }
  Nanos simulated_now() const { return world_.now(rank_); }

 private:
  void for_others(const StepPlace& place, Nanos (StepTimes::*part)() const) {
    for (int other = 0; other < world_.size(); ++other) {
      if (Rank{other} == rank_) continue;
      world_.advance(Rank{other}, (table_.times(Rank{other}, place).*part)());
    }
  }

  VirtualWorld& world_;
  const StepTimeTable& table_;
  Rank rank_;
  VirtualDeviceClock* device_;
};

// The same simulation, each moment of it awaited: a rank that the machine held up makes it good in
// what follows, so that a window is as long as planned but for what holds up its end.
class RealPace final : public VirtualPace {
 public:
  RealPace(VirtualWorld& world, const StepTimeTable& table, Rank rank, VirtualDeviceClock* device,
           HostClock& clock, Collective& collective)
      : VirtualPace(world, table, rank, device), clock_(clock), collective_(collective) {}

  void begin_window() override {
    VirtualPace::begin_window();
    collective_.set_recording(false);  // spin stamps its own records
    anchored_ = false;
  }

  void begin_step() override {
    if (!anchored_) {
      world().meet(Nanos{0});
      offset_ = clock_.now() - simulated_now();
      anchored_ = true;
    }
    VirtualPace::begin_step();
  }

  // Ranks meet before what follows, and it begins a plan of its own.
  void finish() override { anchored_ = false; }

  Meeting all_reduce(const StepPlace& place, Nanos cost) override {
    Meeting meeting;
    meeting.arrival = clock_.now();
    const BucketView bucket{
        .bucket = 0, .data = &number_, .count = 1, .type = ElementType::kFloat32, .queue = {}};
    collective_.all_reduce_mean(bucket);
    collective_.wait({});
    meeting.start = clock_.now();
    VirtualPace::all_reduce(place, cost);
    meeting.end = clock_.now();
    return meeting;
  }

 protected:
  void reach(Nanos now) override {
    busy_wait_until(clock_, now + offset_);
    set_device(now + offset_);
  }

 private:
  HostClock& clock_;
  Collective& collective_;
  Nanos offset_{};  // real minus simulated
  bool anchored_ = false;
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

std::unique_ptr<Pace> make_real_pace(VirtualWorld& world, const StepTimeTable& table, Rank rank,
                                     VirtualDeviceClock* device, HostClock& clock,
                                     Collective& collective) {
  return std::make_unique<RealPace>(world, table, rank, device, clock, collective);
}

}  // namespace traceml
