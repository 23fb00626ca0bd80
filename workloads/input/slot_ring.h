#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace traceml {

// Rows of one batch that one worker makes.
struct WorkUnit {
  std::int64_t batch = 0;  // counted from start()
  int slot = 0;
  int first_row = 0;
  int rows = 0;
};

// Who may do what with the slots of a batch queue: workers fill them in units, one consumer takes
// them in order, anyone gives them back. Work is given out in order, at most `read_ahead` batches
// beyond what the consumer has taken and only into a free slot, so that slow consumers hold the
// workers back. Knows no pixels. All members are safe on any thread; begins parked.
class SlotRing {
 public:
  // The last unit of a batch has what is left. read_ahead >= 1; slots > read_ahead, or the consumer
  // must give back before it takes again.
  SlotRing(int slots, int batch_rows, int unit_rows, int read_ahead);

  int slots() const { return static_cast<int>(slots_.size()); }

  // Worker. The next unit; blocks while parked or held back; nullopt after close().
  std::optional<WorkUnit> take();
  // Whether take() would return a unit now.
  bool can_take() const;
  // Worker. The rows are in place.
  void done(const WorkUnit& unit);

  // Consumer. Blocks until the next batch is complete; its slot is the consumer's until release().
  // nullopt: parked or closed.
  std::optional<int> next();
  void release(int slot);

  // Complete batches that next() would deliver without waiting.
  std::int64_t ready() const;

  // All slots must have been released.
  void start();
  // Blocks until no worker is at work. What was not delivered is dropped.
  void park();
  // Lets the workers leave; for good.
  void close();

 private:
  struct Slot {
    std::int64_t batch = -1;  // the batch that it holds or gets
    int rows_missing = 0;
    bool free = true;
  };

  Slot& slot_of(std::int64_t batch) {
    return slots_[static_cast<std::size_t>(batch) % slots_.size()];
  }
  bool may_take() const;

  const int batch_rows_;
  const int unit_rows_;
  const int read_ahead_;

  mutable std::mutex mutex_;
  std::condition_variable work_;   // a unit may have become free to take
  std::condition_variable ready_;  // the batch that the consumer waits for may be complete
  std::condition_variable idle_;   // no worker is at work
  std::vector<Slot> slots_;
  std::int64_t unit_batch_ = 0;  // of the next unit
  int unit_row_ = 0;
  std::int64_t delivered_ = 0;
  int at_work_ = 0;
  bool running_ = false;
  bool closed_ = false;
};

}  // namespace traceml
