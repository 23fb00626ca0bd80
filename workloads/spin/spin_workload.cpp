#include "workloads/spin/spin_workload.h"

#include <utility>

namespace traceml {
namespace {

// The simulated device stands still in them.
bool is_host_work(Phase phase) {
  return phase == Phase::kInputWait || phase == Phase::kDecode;
}

std::string work_of(Phase phase) {
  return phase == Phase::kH2d ? "Memcpy HtoD (Pinned -> Device)"
                              : "spin_" + std::string(name_of(phase));
}

}  // namespace

SpinWorkload::SpinWorkload(const Plan& plan, Rank rank, const StepTimeTable& table, Pace& pace,
                           VirtualDeviceClock* device, SimulatedTrace* trace)
    : config_(plan.config),
      rank_(rank),
      table_(table),
      pace_(pace),
      device_(device),
      trace_(trace),
      counter_(plan.facts),
      one_time_(plan.config, rank) {
  records_.reserve(table.most_steps());
  inputs_.reserve(table.most_steps());
}

// There is no batch; arms agree in all that a batch would have.
BatchContract SpinWorkload::contract(ArmIndex arm) {
  const ArmConfig& config = config_.arms.at(static_cast<std::size_t>(arm.value));
  BatchContract contract;
  contract.dtype = "none";
  contract.shape = {config.workload.batch_size};
  contract.device_work = "spin";
  return contract;
}

void SpinWorkload::begin(ArmIndex arm, std::int64_t first_batch, Instrument instrument) {
  counter_.begin(arm);
  arm_ = arm;
  pace_.begin_window(first_batch);
  recording_ = instrument != Instrument::kNone;
  records_.clear();
  inputs_.clear();
}

void SpinWorkload::step(PhaseMarks* marks) {
  const StepPlace place = counter_.step();
  const StepTimes times = table_.times(rank_, place);
  fault_ = one_time_.fault(place);
  lost_ = marks == nullptr || device_ == nullptr ? std::nullopt : one_time_.lost_event(place);
  pace_.begin_step();
  if (fault_ && fault_->before_phases()) commit(fault_->how);
  for (const Phase part : table_.phases_before_meeting(place.arm)) {
    phase(marks, part, times.phases[index_of(part)]);
    if (part == Phase::kInputWait) take_batch(place);
  }
  end_phase(marks);
  all_reduce(place, times);
  phase(marks, Phase::kOptimizer, times.phases[index_of(Phase::kOptimizer)]);
  end_phase(marks);
  if (times.untracked > Nanos{0}) pace_.work(times.untracked);
}

// The next border is the running phase's end: its mark is the one to lose.
void SpinWorkload::phase(PhaseMarks* marks, Phase phase, Nanos time) {
  if (lost_ && running_ == lost_) device_->lose_next_mark();
  running_ = phase;
  enter(marks, phase);
  if (fault_ && fault_->phase == phase) commit(fault_->how);
  const Nanos from = device_ == nullptr ? Nanos{0} : device_->position();
  pace_.work(time);
  if (trace_ != nullptr && !is_host_work(phase)) {
    trace_->add_work(work_of(phase), from, device_->position());
  }
}

void SpinWorkload::end_phase(PhaseMarks* marks) {
  if (lost_ && running_ == lost_) device_->lose_next_mark();
  running_ = std::nullopt;
  leave(marks);
}

// In input_wait.
void SpinWorkload::take_batch(const StepPlace& place) {
  std::optional<InputRecord> record = pace_.take_batch(place);
  if (record && recording_) inputs_.push_back(std::move(*record));
}

// Part of no phase, as a communication queue's work: residual on both clocks.
void SpinWorkload::all_reduce(const StepPlace& place, const StepTimes& times) {
  if (times.delay > Nanos{0}) pace_.work(times.delay);
  if (fault_ && fault_->at_all_reduce) commit(fault_->how);
  const Meeting meeting = pace_.all_reduce(place, times.all_reduce);
  if (trace_ != nullptr) {
    trace_->add_work("ncclDevKernel_AllReduce_spin", meeting.arrival, meeting.end,
                     SimulatedTrace::Stream::kExchange);
  }
  if (!recording_) return;
  CollectiveRecord record;
  record.step = StepIndex{place.step};
  record.bytes = sizeof(float);
  record.issue_host = meeting.arrival;
  record.arrival = meeting.arrival;
  record.start = meeting.start;
  record.end = meeting.end;
  records_.push_back(record);
}

std::vector<CollectiveRecord> SpinWorkload::take_collectives() {
  std::vector<CollectiveRecord> taken;
  taken.reserve(records_.capacity());
  std::swap(taken, records_);
  return taken;
}

std::vector<InputRecord> SpinWorkload::take_input_records() {
  std::vector<InputRecord> taken;
  taken.reserve(inputs_.capacity());
  std::swap(taken, inputs_);
  return taken;
}

std::map<std::string, std::string> SpinWorkload::facts() const {
  const bool simulated = config_.workload.clock == ClockKind::kVirtual;
  return {{"model", config_.workload.model}, {"clock", simulated ? "virtual clock" : "real clock"}};
}

}  // namespace traceml
