#pragma once
// A loader that loads nothing: when the workers of workloads/input would have had each batch ready,
// were their stages to cost what they are said to. A pure function of its costs and of when batches
// are asked for and given back, with the rules of SlotRing: work is given out in order, at most
// `read_ahead` batches beyond what was taken, into a free slot of read_ahead + 2.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/records.h"
#include "harness/core/units.h"

namespace traceml {

inline constexpr std::int64_t kSpinFiles = 64;     // of the data set that does not exist
inline constexpr std::int64_t kSpinSlowFile = 17;  // of them, the one that slow_file makes slow

struct LoaderCosts {
  int workers = 1;     // 0: whoever asks makes the batch
  int batch = 1;       // samples
  int unit = 1;        // samples that a worker takes at a time
  int read_ahead = 1;  // batches
  // Of a sample.
  Nanos read{}, decode{}, resize{};
  Nanos slow_file{};  // more to decode, for the slow file
  double noise = 0;   // standard deviation of each sample's cost
};

class LoaderModel {
 public:
  explicit LoaderModel(const LoaderCosts& costs) : costs_(costs) {}

  // All workers are idle and all slots free. `key` chooses the noise. `most`: batches to have room
  // for; more may be taken.
  void start(Nanos now, std::int64_t first_batch, std::uint64_t key, std::size_t most);

  // The next batch, for a consumer that asks at `asked` and has it at `taken`. `released` is when
  // the consumer gives it back: `taken` and `held` more. Arm, window and step are not filled in.
  InputRecord take(Nanos asked, Nanos held);

  // Batches complete at `now` and not taken; `now` is not before the last take.
  std::int64_t ready_at(Nanos now);

 private:
  struct Worker {
    Nanos free{};  // when it is
  };

  void make_next_batch(Nanos begin_at_earliest);
  void make_sample(std::int64_t batch, int row, Nanos* now, InputRecord* record) const;
  void make_ahead();

  LoaderCosts costs_;
  Nanos start_{};
  std::int64_t first_ = 0;
  std::uint64_t key_ = 0;
  std::vector<Worker> workers_;
  std::vector<InputRecord> batches_;  // made so far, since start()
  std::size_t taken_ = 0;
};

}  // namespace traceml
