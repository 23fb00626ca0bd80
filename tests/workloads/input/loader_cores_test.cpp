#include "workloads/input/loader_cores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <latch>
#include <numeric>

#include "harness/core/error.h"
#include "harness/runner/allowed_cores.h"

namespace traceml {
namespace {

using Cores = std::vector<int>;

Cores first_cores(int count) {
  Cores cores(static_cast<std::size_t>(count));
  std::iota(cores.begin(), cores.end(), 0);
  return cores;
}

TEST(LoaderCores, AreAllCoresWhereFewerThanFourAreAllowed) {
  for (const int count : {1, 2, 3}) {
    EXPECT_EQ(loader_cores(first_cores(count), 1), (LoaderCores{first_cores(count), {}})) << count;
  }
}

TEST(LoaderCores, LeaveTwoOfFourOrMoreToTheThreadsThatLaunch) {
  EXPECT_EQ(loader_cores(first_cores(4), 1), (LoaderCores{{0, 1}, {2, 3}}));
  EXPECT_EQ(loader_cores(first_cores(5), 1), (LoaderCores{{0, 1, 2}, {3, 4}}));
  const LoaderCores sixteen = loader_cores(first_cores(16), 1);
  EXPECT_EQ(sixteen.loaders, first_cores(14));
  EXPECT_EQ(sixteen.kept_free, (Cores{14, 15}));
}

TEST(LoaderCores, FollowMasksWithHoles) {
  EXPECT_EQ(loader_cores({3, 8, 21, 22, 1030}, 1), (LoaderCores{{3, 8, 21}, {22, 1030}}));
  EXPECT_EQ(loader_cores({7}, 1), (LoaderCores{{7}, {}}));
  EXPECT_EQ(loader_cores({1, 3}, 1), (LoaderCores{{1, 3}, {}}));
}

TEST(LoaderCores, LeaveTwoCoresToEachRankThatSharesThem) {
  EXPECT_EQ(loader_cores(first_cores(16), 4).loaders, first_cores(8));
  EXPECT_EQ(loader_cores(first_cores(16), 4).kept_free.size(), 8U);
  EXPECT_EQ(loader_cores(first_cores(15), 4), (LoaderCores{first_cores(15), {}}))
      << "fewer than four a rank";
}

TEST(LoaderCores, AreEmptyWhereNoneIsKnown) {
  EXPECT_EQ(loader_cores({}, 1), LoaderCores{});
}

TEST(CoreList, JoinsNeighbours) {
  EXPECT_EQ(core_list({0, 1, 2, 8, 10, 11}), "0-2,8,10-11");
  EXPECT_EQ(core_list({5}), "5");
  EXPECT_EQ(core_list({}), "");
}

// Threads that do nothing until they are told to end.
class Idlers {
 public:
  explicit Idlers(int count) : begun_(count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, i] {
        ids_[static_cast<std::size_t>(i)] = gettid();
        begun_.count_down();
        end_.wait();
      });
    }
    begun_.wait();
  }
  ~Idlers() {
    end_.count_down();
    for (std::thread& thread : threads_) thread.join();
  }
  std::vector<std::thread>& threads() { return threads_; }
  std::vector<pid_t> ids() const { return {ids_.begin(), ids_.begin() + threads_.size()}; }

 private:
  std::latch begun_;
  std::latch end_{1};
  std::array<pid_t, 8> ids_{};
  std::vector<std::thread> threads_;
};

TEST(PlaceLoaderThreads, BindsThemAtBatchPriorityAndLeavesTheCallerAlone) {
  const Cores all = cores_allowed_to(0);
  Idlers idlers(2);
  EXPECT_EQ(place_loader_threads(idlers.threads(), {{all.back()}, {}}),
            "on cores " + std::to_string(all.back()) + ", none kept free, batch priority");
  for (const pid_t thread : idlers.ids()) {
    EXPECT_EQ(cores_allowed_to(thread), Cores{all.back()});
    EXPECT_EQ(sched_getscheduler(thread), SCHED_BATCH);
  }
  EXPECT_EQ(cores_allowed_to(gettid()), all);
  EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

TEST(PlaceLoaderThreads, LeavesThemAnyCoreWhereNoneIsNamed) {
  Idlers idlers(1);
  EXPECT_EQ(place_loader_threads(idlers.threads(), {}),
            "on any core, none kept free, batch priority");
  EXPECT_EQ(cores_allowed_to(idlers.ids().front()), cores_allowed_to(0));
}

TEST(PlaceLoaderThreads, TellsWhichCoresAreKeptFree) {
  const Cores all = cores_allowed_to(0);
  Idlers idlers(1);
  EXPECT_THAT(place_loader_threads(idlers.threads(), {all, {14, 15}}),
              ::testing::HasSubstr(", 14-15 kept free, batch priority"));
}

TEST(PlaceLoaderThreads, RefusesCoresThatAreNotThere) {
  Idlers idlers(1);
  try {
    place_loader_threads(idlers.threads(), {{5000}, {}});
    FAIL() << "core 5000 was taken";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(),
                ::testing::StartsWith("input workers cannot be bound to the cores 5000: "));
  }
}

}  // namespace
}  // namespace traceml
