#include "harness/runner/rank_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <utility>

#include "harness/analysis/campaign.h"
#include "harness/analysis/gate_replay.h"
#include "harness/codec/raw_files.h"
#include "harness/plan/arms.h"
#include "harness/runner/agreement.h"
#include "harness/runner/contract_check.h"
#include "harness/runner/look_records.h"
#include "harness/runner/step_loop.h"
#include "harness/runner/step_recorder.h"
#include "harness/runner/traced_window.h"
#include "harness/runner/wire.h"

namespace traceml {
namespace {

Nanos nanos(std::chrono::duration<double> time) {
  return std::chrono::duration_cast<Nanos>(time);
}

// A run that has reached its time limit in a window may end that window and stop in good order.
constexpr Nanos kTimeToStop = std::chrono::seconds(1);

class RankProgram {
 public:
  RankProgram(const Plan& plan, const RankOptions& options, RunWatch& watch, Workload& workload,
              Transport& transport, HostClock& clock, DeviceClock* device, DeviceMonitor* monitor)
      : plan_(plan),
        options_(options),
        watch_(watch),
        position_(watch.position()),
        workload_(workload),
        transport_(transport),
        wall_(options.wall == nullptr ? clock : *options.wall),
        device_(device),
        monitor_(monitor),
        arm_names_(arm_names(plan.facts)),
        loop_ports_{workload,  transport, clock,   device,
                    position_, &wall_,    monitor, options.activities},
        loop_(plan.facts, nanos(plan.config.measure.device_drain), loop_ports_) {}

  RunOutcome run() {
    begin_ = wall_.now();
    watch_.set_arms(arm_names_);
    require_equal(transport_, things_of(plan_, options_.build));
    agreed_ = true;
    RawWriter writer(options_.own_raw_dir, options_.run, transport_.rank(), arm_names_,
                     {.device = monitor_ != nullptr, .input = keeps_inputs(plan_.facts)});
    prepare();
    warm_up(writer);
    run_blocks(writer);
    trace_steps();
    watch_.lift_deadline();
    conclude();
    return outcome_;
  }

  [[noreturn]] void fail_here(const std::string& cause, ExitCode code) {
    if (!agreed_) watch_.fail_with(cause, code);
    watch_.fail(cause, code);
  }

 private:
  bool root() const { return transport_.rank() == Rank{0}; }
  ProgressSink* progress() const { return root() ? options_.progress : nullptr; }

  // Contracts are taken as soon as both sides exist; references may come after their candidates.
  void prepare() {
    const auto& arms = plan_.facts.arms;
    std::vector<BatchContract> contracts;
    workload_.tell_progress_to([this] { position_.make_progress(); });
    for (std::size_t i = 0; i < arms.size(); ++i) {
      const ArmIndex arm{static_cast<int>(i)};
      position_.enter_arm(arm, std::nullopt);
      position_.enter(Stage::kPrepare);
      workload_.prepare(arm);
      contracts.push_back(workload_.contract(arm));
    }
    for (std::size_t i = 0; i < arms.size(); ++i) {
      if (!arms[i].reference || arms[i].input_free) continue;
      const auto reference = static_cast<std::size_t>(arms[i].reference->value);
      position_.enter_arm(ArmIndex{static_cast<int>(i)}, std::nullopt);
      check_contract(arms[i].name, contracts[i], arms[reference].name, contracts[reference]);
      if (!arms[i].hidden) {
        outcome_.equal_by_design[arms[i].name] = difference_by_design(workload_.training_queue());
      }
    }
    position_.leave_arm();
  }

  // The first arm decides how many rounds a device needs; all arms get as many.
  void warm_up(RawWriter& writer) {
    const Nanos at_least = device_ == nullptr ? Nanos{0} : nanos(options_.min_device_warm_up);
    std::optional<int> rounds;
    if (plan_.facts.warmup_steps == 0) return;
    for (std::size_t i = 0; i < arm_names_.size(); ++i) {
      if (progress() != nullptr) progress()->on_warm_up(arm_names_[i]);
      const Measured measured = loop_.warm_up(ArmIndex{static_cast<int>(i)}, rounds, at_least);
      position_.enter(Stage::kStore);
      writer.append({}, measured.steps, measured.collectives, {}, measured.inputs);
    }
  }

  void run_blocks(RawWriter& writer) {
    std::vector<ArmIndex> arms;
    for (std::size_t i = 0; i < arm_names_.size(); ++i) {
      arms.push_back(ArmIndex{static_cast<int>(i)});
    }
    WindowIndex next{0};
    for (int block = 0; block < plan_.facts.max_blocks; ++block) {
      const auto windows = make_block(plan_.facts, block, arms, next);
      for (const PlannedWindow& planned : windows) {
        run_window(writer, planned, static_cast<int>(windows.size()));
        const bool ends_block = &planned == &windows.back();
        if (!ends_block && all_ranks_are_late()) break;
      }
      if (!outcome_.failure.empty()) break;
      next.value += static_cast<std::int64_t>(windows.size());
      outcome_.blocks = block + 1;
      const BlockDecision decision = decide(arms);
      if (decision.stop) {
        outcome_.failure = decision.failure;
        break;
      }
      arms = decision.arms;
    }
    outcome_.finished = outcome_.failure.empty();
    position_.leave_arm();
  }

  void run_window(RawWriter& writer, const PlannedWindow& planned, int windows_in_block) {
    const Nanos before = steady_now();
    watch_.put_off_deadline(before + 2 * longest_window_ + kTimeToStop);
    const Measured measured = loop_.run(planned);
    longest_window_ = std::max(longest_window_, steady_now() - before);
    position_.enter(Stage::kStore);
    writer.append({*measured.window}, measured.steps, measured.collectives, measured.devices,
                  measured.inputs);
    refuse_to_lose_files();
    position_.store_window();
    looks_.add(*measured.window, measured.steps);
    if (progress() == nullptr) return;
    progress()->on_window({.arm = arm_names_[static_cast<std::size_t>(planned.arm.value)],
                           .window = planned.index,
                           .block = planned.block,
                           .max_blocks = plan_.facts.max_blocks,
                           .order = planned.order,
                           .windows_in_block = windows_in_block,
                           .elapsed = wall_.now() - begin_});
  }

  // Open files outlive their folder: what is written into them then is lost without an error.
  void refuse_to_lose_files() const {
    if (std::filesystem::exists(options_.own_raw_dir)) return;
    throw RunError(fmt::format("the results folder {} has vanished", options_.own_raw_dir));
  }

  // Collective.
  bool all_ranks_are_late() {
    const std::string late = root() && time_is_up() ? lateness() : "";
    outcome_.failure = transport_.broadcast(late);
    return !outcome_.failure.empty();
  }

  std::string lateness() const {
    return fmt::format(
        "the time limit of {:g} s (measure.time_limit) was reached after {} of at most {} blocks; "
        "finished windows are kept",
        plan_.config.measure.time_limit.count(), outcome_.blocks, plan_.facts.max_blocks);
  }

  // Rank 0 decides, everyone hears. Windows and step times travel at looks only.
  BlockDecision decide(const std::vector<ArmIndex>& arms) {
    const CampaignFacts& facts = plan_.facts;
    const bool last = outcome_.blocks == facts.max_blocks;
    const std::vector<int> looks = looks_of(facts);
    const bool look = std::find(looks.begin(), looks.end(), outcome_.blocks) != looks.end();
    position_.leave_arm();
    position_.enter(Stage::kConclude);
    if (look) looks_.gather(transport_);
    BlockDecision decision{.stop = last, .failure = {}, .arms = arms};
    if (root() && look) {
      const LookDecision verdict =
          decide_at_look(facts, looks_.windows(), looks_.steps(), outcome_.blocks);
      decision.stop = verdict.stop || last;
      if (!decision.stop) decision.arms = verdict.arms_needed;
    }
    if (root() && !decision.stop && time_is_up()) {
      decision.stop = true;
      decision.failure = lateness();
    }
    return decode_decision(transport_.broadcast(encode_decision(decision)));
  }

  bool time_is_up() const {
    return watch_.is_late() || wall_.now() - begin_ >= nanos(plan_.config.measure.time_limit);
  }

  // Collective. After all that is judged.
  void trace_steps() {
    if (!plan_.trace || !outcome_.finished) return;
    if (transport_.broadcast(root() && time_is_up() ? "late" : "") == "late") {
      outcome_.notes.push_back("no trace: measure.time_limit was reached before its steps");
      return;
    }
    const std::int64_t in_window = plan_.facts.settle_steps + plan_.facts.steps_per_window;
    const Nanos of_steps =
        longest_window_ * plan_.trace->steps() / std::max<std::int64_t>(in_window, 1);
    watch_.put_off_deadline(steady_now() + 4 * (longest_window_ + of_steps) + kTimeToStop);
    TracedWindow window(plan_, nanos(plan_.config.measure.device_drain), loop_ports_,
                        options_.activities, options_.operators);
    const std::vector<RunTrace> traces = window.run(in_window * outcome_.blocks);
    position_.enter(Stage::kStore);
    const std::string unwritten = store_traces(traces, transport_, options_.trace_dir);
    if (!unwritten.empty()) {
      outcome_.notes.push_back("not all of the trace could be stored: " + unwritten);
    }
    for (const std::string& fault :
         lines_by_rank(transport_, window.fault(), "the trace holds host times alone: ")) {
      outcome_.notes.push_back(fault);
    }
    position_.leave_arm();
  }

  void conclude() {
    position_.enter(Stage::kConclude);
    const Nanos begin = wall_.now();
    gather_raw_files(transport_, options_.own_raw_dir, options_.out_raw_dir);
    outcome_.gathering = wall_.now() - begin;
    if (const auto digest = workload_.parameters_digest()) compare_parameters(*digest);
    const auto replaced = distinct_lines(transport_, workload_.replaced_files());
    if (!replaced.empty()) {
      outcome_.notes.push_back(fmt::format("files that were replaced (the first of them): {}",
                                           fmt::join(replaced, "; ")));
    }
    outcome_.facts = workload_.facts();
    outcome_.counters = total_counters(transport_, own_counters());
    add_activity_fact();
  }

  // Collective.
  void compare_parameters(std::uint64_t digest) {
    const std::string difference = parameters_difference(transport_, digest);
    if (!difference.empty()) {
      outcome_.finished = false;
      outcome_.failure = difference;
    } else if (transport_.world_size() > 1) {
      outcome_.notes.push_back(fmt::format(
          "all {} ranks held bit-equal parameters after the last window (digest {:016x})",
          transport_.world_size(), digest));
    }
  }

  // Of arms with instrument cupti, over all ranks.
  void add_activity_fact() {
    const auto bytes = outcome_.counters.find("activity_bytes");
    const auto steps = outcome_.counters.find("activity_steps");
    if (bytes == outcome_.counters.end() || steps == outcome_.counters.end()) return;
    outcome_.facts["activity_bytes_per_step"] = std::to_string(bytes->second / steps->second);
  }

  std::map<std::string, std::int64_t> own_counters() const {
    std::map<std::string, std::int64_t> counters = workload_.counters();
    counters.merge(loop_.counters());
    if (device_ == nullptr) {
      counters.erase("events_unresolved");
      return counters;
    }
    const DeviceClockCounters events = device_->counters();
    counters["events_created"] = events.created;
    counters["events_reused"] = events.reused;
    counters["events_high_water"] = events.high_water;
    counters["events_exhausted"] = events.exhausted;
    counters["events_errored"] = events.errored;
    return counters;
  }

  const Plan& plan_;
  const RankOptions& options_;
  RunWatch& watch_;
  Position& position_;
  Workload& workload_;
  Transport& transport_;
  HostClock& wall_;
  DeviceClock* device_;
  DeviceMonitor* monitor_;
  std::vector<std::string> arm_names_;
  LoopPorts loop_ports_;
  StepLoop loop_;
  Nanos begin_{};
  bool agreed_ = false;  // before, all ranks fail alike; after, the rank is named
  Nanos longest_window_{};
  LookRecords looks_;
  RunOutcome outcome_;
};

}  // namespace

RunOutcome run_rank(const Plan& plan, const RankOptions& options, RunWatch& watch,
                    Workload& workload, Transport& transport, HostClock& clock, DeviceClock* device,
                    DeviceMonitor* monitor) {
  RankProgram program(plan, options, watch, workload, transport, clock, device, monitor);
  try {
    return program.run();
  } catch (const RankEnded&) {
    throw;
  } catch (const Error& error) {
    program.fail_here(error.what(), error.code());
  } catch (const std::exception& error) {
    program.fail_here(error.what(), ExitCode::kRunFailed);
  } catch (...) {
    program.fail_here("an exception of unknown type", ExitCode::kRunFailed);
  }
}

std::uint32_t device_marks_needed(const Plan& plan) {
  constexpr std::int64_t kMarksPerStep = 12;  // eight borders where phases abut, and some to spare
  return static_cast<std::uint32_t>(kMarksPerStep * most_steps_in_a_row(plan));
}

std::size_t record_bytes_needed(const Plan& plan) {
  return StepRecorder::bytes_for(static_cast<std::size_t>(most_steps_in_a_row(plan)));
}

std::size_t bucket_records_needed(const Plan& plan) {
  constexpr double kMostMib = 240;  // of gradients: ResNet-152
  double least_mib = plan.config.workload.bucket_mb;
  for (const ArmConfig& arm : plan.config.arms) {
    least_mib = std::min(least_mib, arm.workload.bucket_mb);
  }
  const auto buckets = static_cast<std::int64_t>(kMostMib / least_mib) + 2;
  return static_cast<std::size_t>(buckets * most_steps_in_a_row(plan));
}

}  // namespace traceml
