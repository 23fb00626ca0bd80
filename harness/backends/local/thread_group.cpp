#include "harness/backends/local/thread_group.h"

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "harness/ports/bucket_math.h"

namespace traceml {
namespace {

struct Failure {
  std::string sentence;
  ExitCode code;
};

// One rank's part of one bucket.
struct Part {
  BucketView bucket;
  CollectiveRecord record;
  bool recording = false;
};

// The n-th bucket that each rank hands over; gone once it is averaged.
struct Reduction {
  std::vector<std::optional<Part>> parts;
  std::size_t arrived = 0;
};

}  // namespace

struct ThreadGroup::State {
  State(int ranks, HostClock& host)
      : size(static_cast<std::size_t>(ranks)),
        clock(host),
        posted(size),
        submitted(size, 0),
        done(size, 0),
        records(size) {}

  const std::size_t size;
  HostClock& clock;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::optional<Failure> failure;

  // Meeting of all ranks; `round` counts the meetings.
  std::size_t waiting = 0;
  std::uint64_t round = 0;
  std::vector<std::string> posted;  // what each rank brought to the current meeting
  std::vector<std::string> met;     // what all brought to the last one

  // Buckets, by sequence number and by rank.
  std::map<std::int64_t, Reduction> reductions;
  std::vector<std::int64_t> submitted;
  std::vector<std::int64_t> done;
  std::vector<std::map<std::int64_t, CollectiveRecord>> records;

  void throw_if_failed() const {
    if (failure) throw RankEnded(failure->code, failure->sentence);
  }

  void set_failure(const std::string& sentence, ExitCode code) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = Failure{sentence, code};
    changed.notify_all();
  }

  // Collective: returns what every rank brought, in rank order.
  std::vector<std::string> meet(std::size_t rank, const std::string& bytes) {
    std::unique_lock lock(mutex);
    throw_if_failed();
    posted[rank] = bytes;
    const std::uint64_t mine = round;
    if (++waiting == size) {
      waiting = 0;
      ++round;
      met = posted;
      changed.notify_all();
    } else {
      changed.wait(lock, [&] { return round != mine || failure; });
      if (round == mine) throw_if_failed();
    }
    return met;
  }

  void submit(std::size_t rank, const Part& part) {
    std::unique_lock lock(mutex);
    throw_if_failed();
    const std::int64_t number = submitted[rank]++;
    Reduction& reduction = reductions[number];
    reduction.parts.resize(size);
    reduction.parts[rank] = part;
    if (++reduction.arrived < size) return;
    const Reduction complete = std::move(reduction);
    reductions.erase(number);
    lock.unlock();
    average(number, complete);
  }

  void average(std::int64_t number, Reduction reduction) {
    const BucketView& first = reduction.parts.front()->bucket;
    std::vector<void*> data;
    bool recording = false;
    for (const auto& part : reduction.parts) {
      if (part->bucket.count != first.count || part->bucket.type != first.type) {
        const std::string sentence =
            "bucket " + std::to_string(part->bucket.bucket) +
            " differs in length or type between ranks; all ranks must run the same model";
        set_failure(sentence, ExitCode::kRunFailed);
        throw RankEnded(ExitCode::kRunFailed, sentence);
      }
      data.push_back(part->bucket.data);
      recording = recording || part->recording;
    }
    const auto start = recording ? std::optional(clock.now()) : std::nullopt;
    average_in_place(data, first.count, first.type);
    const auto end = recording ? std::optional(clock.now()) : std::nullopt;

    const std::lock_guard lock(mutex);
    for (std::size_t rank = 0; rank < size; ++rank) {
      Part& part = *reduction.parts[rank];
      part.record.start = start;
      part.record.end = end;
      if (part.recording) records[rank][number] = part.record;
      ++done[rank];
    }
    changed.notify_all();
  }

  void wait(std::size_t rank) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done[rank] == submitted[rank] || failure; });
    throw_if_failed();
  }
};

namespace {

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<ThreadGroup::State> state, Rank rank)
      : state_(std::move(state)), rank_(rank) {}

  Rank rank() const override { return rank_; }
  int world_size() const override { return static_cast<int>(state_->size); }
  void barrier() override { meet({}); }

  std::vector<std::string> gather(const std::string& bytes) override {
    std::vector<std::string> all = meet(bytes);
    if (rank_.value != 0) all.clear();
    return all;
  }

  std::string broadcast(const std::string& bytes) override { return meet(bytes).front(); }

  [[noreturn]] void fail(const std::string& sentence, ExitCode code) override {
    state_->set_failure(sentence, code);
    const std::lock_guard lock(state_->mutex);
    throw RankEnded(state_->failure->code, state_->failure->sentence);
  }

 private:
  std::vector<std::string> meet(const std::string& bytes) {
    return state_->meet(static_cast<std::size_t>(rank_.value), bytes);
  }

  std::shared_ptr<ThreadGroup::State> state_;
  Rank rank_;
};

class ThreadCollective final : public Collective {
 public:
  ThreadCollective(std::shared_ptr<ThreadGroup::State> state, Rank rank)
      : state_(std::move(state)), rank_(static_cast<std::size_t>(rank.value)) {}

  void all_reduce_mean(const BucketView& bucket) override {
    if (bucket.queue != DeviceQueue{}) {
      throw RunError("the thread collective averages host buckets only; use NCCL for device ones");
    }
    Part part{.bucket = bucket, .record = {}, .recording = recording_};
    if (recording_) {
      const std::int64_t width = bucket.type == ElementType::kFloat32 ? 4 : 2;
      part.record.bucket = bucket.bucket;
      part.record.bytes = bucket.count * width;
      part.record.issue_host = state_->clock.now();
      part.record.arrival = part.record.issue_host;
    }
    state_->submit(rank_, part);
  }

  void wait(DeviceQueue) override { state_->wait(rank_); }
  void set_recording(bool on) override { recording_ = on; }

  std::vector<CollectiveRecord> take_records() override {
    const std::lock_guard lock(state_->mutex);
    std::vector<CollectiveRecord> taken;
    for (const auto& [number, record] : state_->records[rank_]) taken.push_back(record);
    state_->records[rank_].clear();
    return taken;
  }

  const char* name() const override { return "threads"; }

 private:
  std::shared_ptr<ThreadGroup::State> state_;
  std::size_t rank_;
  bool recording_ = false;
};

}  // namespace

ThreadGroup::ThreadGroup(int ranks, HostClock& clock)
    : state_(std::make_shared<State>(ranks, clock)) {}

ThreadGroup::~ThreadGroup() = default;

std::unique_ptr<Transport> ThreadGroup::make_transport(Rank rank) {
  return std::make_unique<ThreadTransport>(state_, rank);
}

std::unique_ptr<Collective> ThreadGroup::make_collective(Rank rank) {
  return std::make_unique<ThreadCollective>(state_, rank);
}

void ThreadGroup::run(const std::function<void(Transport&, Collective&)>& program) {
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < state_->size; ++rank) {
    threads.emplace_back([&, rank] {
      const auto transport = make_transport(Rank{static_cast<int>(rank)});
      const auto collective = make_collective(Rank{static_cast<int>(rank)});
      try {
        program(*transport, *collective);
      } catch (const Error& error) {
        state_->set_failure(error.what(), error.code());
      } catch (const std::exception& error) {
        state_->set_failure(error.what(), ExitCode::kRunFailed);
      }
    });
  }
  threads.clear();  // joins
  state_->throw_if_failed();
}

std::string ThreadGroup::failure() const {
  const std::lock_guard lock(state_->mutex);
  return state_->failure ? state_->failure->sentence : std::string();
}

}  // namespace traceml
