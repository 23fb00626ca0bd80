#pragma once
// Every threshold by which a trace is read and a cause is named, in one place, each with its
// source. A finding is a hypothesis: none of these numbers is a verdict.

#include <cstddef>
#include <cstdint>

#include "harness/core/units.h"

namespace traceml {

struct TimelineRules {
  // --- which records are times at all ---
  // CUPTI records that went wrong are some 1e14 ns off (PyTorch issue 192021); no kernel lasts so
  // long, no launch waits so long.
  Nanos absurd_duration = std::chrono::minutes(10);
  Nanos absurd_offset = std::chrono::minutes(10);
  Nanos absurd_host = std::chrono::hours(24);  // a host span; no trace is so long
  // Host spans around one another: Python ends a recursion at 1,000 frames.
  std::size_t deepest_stack = 1000;

  // --- what is looked at one by one ---
  // A gap that a person sees in a timeline of steps of 30 to 300 ms. The command line may set it.
  Nanos long_gap = std::chrono::milliseconds(1);
  // A host call, and a stretch without any event inside a thread's innermost range, of that length:
  // below it is the ordinary time between two operators in Python.
  Nanos long_call = std::chrono::milliseconds(1);
  Nanos silence = std::chrono::milliseconds(1);
  // Share of a gap that an operator, call or frame must fill to be told as where the thread was.
  double whereabouts_share = 0.1;

  // --- gaps between work that was queued in time ---
  // HolisticTraceAnalysis' delay between consecutive kernels (kernel_wait): below it the device
  // takes its time between two kernels, above it something that the trace does not show held the
  // second.
  Nanos queued_gap = std::chrono::microseconds(30);

  // --- launch lag ---
  // A launch takes 5 to 10 us of host; one of 50 us waited (Kineto's sign of a full command
  // buffer).
  Nanos blocked_launch = std::chrono::microseconds(50);
  double blocked_launch_share = 0.01;                   // of all launches: the queue is full
  Nanos queue_full_lag = std::chrono::milliseconds(1);  // median lag from there
  // A kernel that starts so soon after its launch call found an idle stream: an empty stream starts
  // one within 2 to 10 us. Half of all kernels: launch-bound.
  Nanos prompt_start = std::chrono::microseconds(20);
  double prompt_share = 0.5;
  // Eager PyTorch issues an operator in 10 to 20 us: kernels below that cannot hide it.
  Nanos small_kernel = std::chrono::microseconds(20);

  // --- from which share of the span a cause becomes a finding (our choice: less is hard to see in
  // a step's time, and a trace slows the host by about as much) ---
  double cause_share = 0.02;
  double exposed_communication_share = 0.05;
  double copy_share = 0.01;       // of pageable copies and of blocking ones
  double pageable_bytes = 0.5;    // of the bytes that went to the device
  double host_work_share = 0.10;  // idle while the host was at work launching: launch-bound
  double graph_share = 0.05;      // idle in and before captured graphs
  double syncs_per_step = 1;      // synchronising calls inside the steps

  // --- memory (our choice: eight rises in a row are 1 in 256 by chance, and a job that is still
  // filling its pools stops rising within them) ---
  std::int64_t growth_steps = 8;  // fewer tell nothing
  double growth_rises = 0.9;      // of the steps ended higher than the one before
  double growth_share = 0.01;     // of the peak, over all steps
  double mover_share = 0.9;       // of a change: what the named kernels make up

  // --- several ranks ---
  double wait_share = 0.02;  // of the span: what the others waited for one rank, mean over them
  double skew_share = 0.05;  // of the span: what a rank waited in collectives, mean over ranks
  double last_share = 0.5;   // of the collectives: one rank is last in at least so many
  double chance = 0.001;  // that a rank is last so often by chance, over all ranks (stragglers.h)

  // Share of the collectives whose ends tell the clocks' error; more than the rest may not
  // contradict it (pairs of other steps, a clock that was set).
  double clock_share = 0.95;

  // --- how far a trace is to be trusted ---
  double lost_launch_share = 0.01;  // device work without a launch record: said
  double lost_launches_most = 0.5;  // beyond it no causes are given
  double lost_work_some = 0.01;     // launches without device work: idle is an upper bound
  double lost_work_share = 0.05;    // beyond it idle is refused
  double overlap_share = 0.001;     // of a stream's work that begins before the work ahead ended
  Nanos overlap = std::chrono::microseconds(1);  // by more than that
  // Eight workers with PyTorch's prefetch_factor of 2: a stall comes once its queue is drained.
  std::int64_t loader_queue = 16;

  // --- two traces ---
  double mover_level = 0.05;  // two-sided, over all kernels compared (Bonferroni)
};

inline constexpr TimelineRules kRules;

}  // namespace traceml
