#pragma once
// What held the device in its gaps. Each gap is cut at its launch call: before it the host was
// late, and what the launching thread did then is the cause; after it the device was. The parts of
// all causes add up to the device's idle time exactly.

#include <array>
#include <cstdint>
#include <vector>

#include "harness/analysis/idle_gaps.h"

namespace traceml {

enum class IdleCause : std::uint8_t {
  kInput,          // the launching thread was fetching a batch
  kSynchronising,  // it waited for the device in a synchronising call, and launched only after that
  kBlockingCopy,   // it waited in a copy call until the copy was done
  kMemoryCall,     // it was in a call that takes memory from the driver or gives it back
  kLongCall,       // it was in another CUDA call of at least kRules.long_call
  kProfiler,       // the profiler was at work on it
  kSilent,         // its innermost range recorded nothing for at least kRules.silence
  kHostWork,       // operators, Python, short calls: it issued work as fast as it could
  kInGraph,        // between two nodes of one graph launch
  kBeforeGraph,    // from the graph's launch call to its first node
  kQueued,         // below kRules.queued_gap after both the launch and the work before it
  kNotRecorded,    // the work that ended the gap has no launch record
  kNotSelected,    // the device was at work that is not of the selection
  kUnexplained     // launched in time, started late: the trace does not say why
};
inline constexpr std::size_t kIdleCauses = 14;

struct CauseShare {
  Nanos total{0};
  std::int64_t gaps = 0;  // that it had a part in
};

using CauseShares = std::array<CauseShare, kIdleCauses>;

// "waiting for input".
const char* name_of(IdleCause cause);

// What each host span means for a device that waits for the thread it is on.
class Situations {
 public:
  explicit Situations(const Timeline& timeline);

  // The cause of a stretch before the launch.
  IdleCause of(const Stretch& stretch) const;

  // Whether a call ends only when the device has done something.
  bool waits(HostIndex call) const;

 private:
  const Timeline& timeline_;
  std::vector<IdleCause> causes_;  // of each host span's own time
};

// The parts of one gap, and which cause has the largest one.
struct GapCauses {
  std::array<Nanos, kIdleCauses> parts{};
  IdleCause main() const;
};
GapCauses causes_of(const Timeline& timeline, const Situations& situations, const Gap& gap);

CauseShares causes_of(const Timeline& timeline, const Situations& situations,
                      const std::vector<Gap>& gaps);

}  // namespace traceml
