#include "workloads/spin/pace.h"

#include <optional>
#include <vector>

#include "workloads/spin/loader_model.h"

namespace traceml {
namespace {

class VirtualPace : public Pace {
 public:
  VirtualPace(VirtualWorld& world, const StepTimeTable& table, Rank rank,
              VirtualDeviceClock* device)
      : world_(world),
        table_(table),
        rank_(rank),
        device_(device),
        loaders_(static_cast<std::size_t>(world.size())) {}

  void begin_window(std::int64_t first_batch) override {
    first_batch_ = first_batch;
    for (auto& loader : loaders_) loader.reset();
    if (device_ != nullptr) device_->begin_window();
  }
  void begin_step() override { reach(world_.now(rank_)); }
  void finish() override {}

  void work(Nanos time) override {
    world_.advance(rank_, time);
    reach(world_.now(rank_));
  }

  std::optional<InputRecord> take_batch(const StepPlace& place) override {
    std::optional<InputRecord> record = take_of(rank_, place);
    if (record) work(record->taken - record->asked);
    return record;
  }

  std::optional<std::int64_t> batches_ready(ArmIndex arm) override {
    const std::optional<LoaderCosts>& costs = table_.loader_of(arm);
    auto& loader = loaders_[static_cast<std::size_t>(rank_.value)];
    if (!costs || costs->workers == 0 || !loader) return std::nullopt;
    return loader->ready_at(world_.now(rank_));
  }

  // This rank has done its part up to here and does the rest by work(); the others' are done here.
  Meeting all_reduce(const StepPlace& place, Nanos cost) override {
    for_others([&](Rank other) {
      const std::optional<InputRecord> batch = take_of(other, place);
      const Nanos waited = batch ? batch->taken - batch->asked : Nanos{0};
      return waited + table_.times(other, place).before_meeting();
    });
    Meeting meeting;
    meeting.arrival = world_.now(rank_);
    meeting.start = world_.meet(cost);
    meeting.end = world_.now(rank_);
    for_others([&](Rank other) { return table_.times(other, place).after_meeting(); });
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
  template <typename Time>
  void for_others(Time time) {
    for (int other = 0; other < world_.size(); ++other) {
      if (Rank{other} != rank_) world_.advance(Rank{other}, time(Rank{other}));
    }
  }

  // The rank is at the beginning of its step. Its loader starts with the window's first step.
  std::optional<InputRecord> take_of(Rank rank, const StepPlace& place) {
    const std::optional<LoaderCosts>& costs = table_.loader_of(place.arm);
    if (!costs) return std::nullopt;
    std::optional<LoaderModel>& loader = loaders_[static_cast<std::size_t>(rank.value)];
    const Nanos now = world_.now(rank);
    if (!loader) {
      loader.emplace(*costs);
      loader->start(now, first_batch_, table_.loader_key(rank, place), table_.most_steps());
    }
    const StepTimes times = table_.times(rank, place);
    const Nanos copy = times.phases[index_of(Phase::kH2d)];
    InputRecord record = loader->take(now, times.phases[index_of(Phase::kDecode)] + copy);
    record.step = StepIndex{place.step};
    if (copy > Nanos{0}) record.copy = copy;
    return record;
  }

  VirtualWorld& world_;
  const StepTimeTable& table_;
  Rank rank_;
  VirtualDeviceClock* device_;
  std::vector<std::optional<LoaderModel>> loaders_;  // by rank; of the arm that runs
  std::int64_t first_batch_ = 0;
};

// The same simulation, each moment of it awaited: a rank that the machine held up makes it good in
// what follows, so that a window is as long as planned but for what holds up its end.
class RealPace final : public VirtualPace {
 public:
  RealPace(VirtualWorld& world, const StepTimeTable& table, Rank rank, VirtualDeviceClock* device,
           HostClock& clock, Collective& collective)
      : VirtualPace(world, table, rank, device), clock_(clock), collective_(collective) {}

  void begin_window(std::int64_t first_batch) override {
    VirtualPace::begin_window(first_batch);
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

  std::optional<InputRecord> take_batch(const StepPlace& place) override {
    std::optional<InputRecord> record = VirtualPace::take_batch(place);
    if (!record) return record;
    for (Nanos InputRecord::*time :
         {&InputRecord::begun, &InputRecord::ready, &InputRecord::asked, &InputRecord::taken}) {
      (*record).*time += offset_;
    }
    *record->released += offset_;
    return record;
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
