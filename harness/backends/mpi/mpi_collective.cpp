#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <exception>
#include <thread>
#include <vector>

#include "harness/backends/mpi/mpi_internal.h"
#include "harness/ports/bucket_math.h"

namespace traceml {
namespace {

using Counter = std::atomic<int>;  // an int: waits and wakes by futex, with no lock anywhere

// Sums bfloat16 in float. MPI calls it.
void sum_bfloat16(void* in, void* in_out, int* count, MPI_Datatype*) {
  add_to(in_out, in, *count, ElementType::kBfloat16);
}

// A thread of its own posts and polls the all-reduces, so that backward never waits for MPI. The
// training thread and it share a ring of jobs and three counters.
class MpiCollective final : public Collective {
 public:
  MpiCollective(MPI_Comm world, HostClock& clock) : clock_(clock) {
    check(MPI_Comm_dup(world, &comm_), "MPI_Comm_dup");
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    int size = 1;
    check(MPI_Comm_size(comm_, &size), "MPI_Comm_size");
    factor_ = 1.0f / static_cast<float>(size);
    check(MPI_Op_create(&sum_bfloat16, 1, &bfloat16_sum_), "MPI_Op_create");
    records_.reserve(4096);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  ~MpiCollective() override {
    thread_.request_stop();
    wake();
    thread_.join();
    if (failed_.load() || posted_ != completed_.load()) return;  // requests may be open
    MPI_Op_free(&bfloat16_sum_);
    MPI_Comm_free(&comm_);
  }

  void all_reduce_mean(const BucketView& bucket) override {
    refuse_what_mpi_cannot(bucket);
    const int number = submitted_.load(std::memory_order_relaxed);
    if (number - completed_.load(std::memory_order_acquire) >= kJobs) {
      throw RunError(fmt::format(
          "a step hands over more than {} gradient buckets; raise workload.bucket_mb", kJobs));
    }
    Job& job = job_of(number);
    job.bucket = bucket;
    job.recording = recording_;
    if (recording_) job.issue = clock_.now();
    submitted_.store(number + 1, std::memory_order_release);
    wake();
  }

  void wait(DeviceQueue) override {
    const int target = submitted_.load(std::memory_order_relaxed);
    hurry_.store(true, std::memory_order_relaxed);
    while (true) {
      // Read before failed_: a failure in between changes completed_, so that the sleep ends.
      const int done = completed_.load(std::memory_order_acquire);
      if (done == target || failed_.load(std::memory_order_acquire)) break;
      completed_.wait(done, std::memory_order_acquire);
    }
    hurry_.store(false, std::memory_order_relaxed);
    if (failed_.load(std::memory_order_acquire)) std::rethrow_exception(error_);
  }

  void set_recording(bool on) override { recording_ = on; }

  std::vector<CollectiveRecord> take_records() override {
    std::vector<CollectiveRecord> taken = records_;
    records_.clear();
    return taken;
  }

  const char* name() const override { return "mpi"; }

 private:
  static constexpr int kJobs = 1024;

  struct Job {
    BucketView bucket;
    MPI_Request request = MPI_REQUEST_NULL;
    bool recording = false;
    Nanos issue{};
    Nanos arrival{};
    Nanos start{};
  };

  void wake() {
    bell_.fetch_add(1, std::memory_order_release);
    bell_.notify_one();
  }

  Job& job_of(int number) { return jobs_[static_cast<std::size_t>(number % kJobs)]; }

  static void refuse_what_mpi_cannot(const BucketView& bucket) {
    if (bucket.queue != DeviceQueue{}) {
      throw RunError("MPI averages host buckets only; buckets on a device need NCCL");
    }
    if (bucket.count > INT_MAX) {
      throw RunError(fmt::format(
          "gradient bucket {} has {} elements, more than MPI can count; lower workload.bucket_mb",
          bucket.bucket, bucket.count));
    }
  }

  void run(const std::stop_token& stop) {
    try {
      while (!stop.stop_requested()) serve(stop);
    } catch (...) {
      error_ = std::current_exception();
      failed_.store(true, std::memory_order_release);
      completed_.fetch_add(1);  // changes the value that wait() sleeps on
      completed_.notify_all();
    }
  }

  // Sleeps until a bucket comes, then posts and polls until none is open.
  void serve(const std::stop_token& stop) {
    const int rung = bell_.load(std::memory_order_acquire);
    if (stop.stop_requested()) return;
    if (posted_ == submitted_.load(std::memory_order_acquire)) {
      bell_.wait(rung, std::memory_order_acquire);
    }
    auto pause = kShortest;
    while (!stop.stop_requested()) {
      bool progress = post_new();
      progress = complete_oldest() || progress;
      if (posted_ == completed_.load(std::memory_order_relaxed)) return;
      pause = progress ? kShortest : std::min(pause * 2, kLongest);
      // While backward runs, its threads need the cores more than the exchange does. Once they wait
      // for the exchange, it must not sleep.
      if (hurry_.load(std::memory_order_relaxed)) {
        sched_yield();
      } else {
        std::this_thread::sleep_for(pause);
      }
    }
  }

  bool post_new() {
    const int end = submitted_.load(std::memory_order_acquire);
    const bool any = posted_ != end;
    for (; posted_ != end; ++posted_) {
      Job& job = job_of(posted_);
      const bool floats = job.bucket.type == ElementType::kFloat32;
      if (job.recording) job.arrival = clock_.now();
      check(MPI_Iallreduce(MPI_IN_PLACE, job.bucket.data, static_cast<int>(job.bucket.count),
                           floats ? MPI_FLOAT : MPI_UINT16_T, floats ? MPI_SUM : bfloat16_sum_,
                           comm_, &job.request),
            "MPI_Iallreduce");
      if (job.recording) job.start = clock_.now();
    }
    return any;
  }

  bool complete_oldest() {
    bool any = false;
    while (posted_ != completed_.load(std::memory_order_relaxed)) {
      const int oldest = completed_.load(std::memory_order_relaxed);
      Job& job = job_of(oldest);
      int done = 0;
      check(MPI_Test(&job.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) break;
      finish(job);
      completed_.store(oldest + 1, std::memory_order_release);
      completed_.notify_all();
      any = true;
    }
    return any;
  }

  void finish(const Job& job) {
    scale(job.bucket.data, job.bucket.count, job.bucket.type, factor_);
    if (!job.recording) return;
    const std::int64_t width = job.bucket.type == ElementType::kFloat32 ? 4 : 2;
    records_.push_back({.arm = {},
                        .window = std::nullopt,
                        .step = {},
                        .bucket = job.bucket.bucket,
                        .bytes = job.bucket.count * width,
                        .issue_host = job.issue,
                        .arrival = job.arrival,
                        .start = job.start,
                        .end = clock_.now(),
                        .clock = "host"});
  }

  static constexpr std::chrono::microseconds kShortest{20};
  static constexpr std::chrono::microseconds kLongest{200};

  HostClock& clock_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Op bfloat16_sum_ = MPI_OP_NULL;
  float factor_ = 1;
  bool recording_ = false;  // training thread
  std::vector<CollectiveRecord>
      records_;  // its thread; the caller's between wait() and the next job
  std::array<Job, kJobs> jobs_{};

  Counter bell_{0};       // rung for each job and for the end
  Counter submitted_{0};  // jobs handed over
  int posted_ = 0;        // jobs given to MPI; its thread alone
  Counter completed_{0};  // jobs whose mean is in place
  std::atomic<bool> hurry_{false};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
  std::jthread thread_;
};

}  // namespace

std::unique_ptr<Collective> make_mpi_collective(MPI_Comm world, HostClock& clock) {
  return std::make_unique<MpiCollective>(world, clock);
}

}  // namespace traceml
