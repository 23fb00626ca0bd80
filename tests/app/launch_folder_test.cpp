#include "harness/app/launch_folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "harness/codec/config_file.h"
#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

RunInfo launch_info(int number, bool finished = true) {
  RunInfo info;
  Config config;
  config.workload.model = kSpinModel;
  config.measure.launches = 6;
  config.measure.launch = number;
  config.arms = {make_arm(config, "shipped")};
  info.config_text = write_config(config);
  info.world_size = 2;
  info.run = RunId{100 + static_cast<std::uint64_t>(number)};
  info.finished = finished;
  info.environment.facts = {{"build_commit", "abc"}, {"cpu_model", "one"}};
  return info;
}

class LaunchFolder : public ::testing::Test {
 protected:
  LaunchFolder() { fs::create_directories(out() + "/launches"); }

  const std::string& out() const { return folder_.path(); }

  void add(int number, bool finished) {
    const std::string raw = dir_of_launch(out(), number) + "/raw";
    fs::create_directories(raw);
    write_run_info(raw + "/run_info.json", launch_info(number, finished));
    folder_.write("launches/" + fs::path(dir_of_launch(out(), number)).filename().string() + ".log",
                  "log");
  }

  std::vector<int> finished(bool accept_edited = false) const {
    std::vector<int> numbers;
    for (const FinishedLaunch& launch : finished_launches(out(), accept_edited)) {
      numbers.push_back(launch.number);
    }
    return numbers;
  }

  traceml::testing::TemporaryFolder folder_;
};

TEST_F(LaunchFolder, CountsLaunchesWhosePlanWasRunToItsEnd) {
  EXPECT_THAT(finished(), IsEmpty());
  add(1, true);
  add(2, true);
  EXPECT_THAT(finished(), ElementsAre(1, 2));
  fs::create_directories(dir_of_launch(out(), 3) + "/raw");  // killed before it wrote anything
  EXPECT_THAT(finished(), ElementsAre(1, 2));
  add(3, false);
  EXPECT_THAT(finished(), ElementsAre(1, 2));
  folder_.write("launches/0003/raw/run_info.json", "{\"schema\": \"trace");  // torn
  EXPECT_THAT(finished(), ElementsAre(1, 2));
}

TEST_F(LaunchFolder, NamesALaunchThatIsMissingBelowAnother) {
  for (const int number : {1, 2, 3, 4}) add(number, true);
  fs::remove_all(dir_of_launch(out(), 1));
  EXPECT_THAT([&] { finished(); }, ThrowsMessage<RunError>(HasSubstr("launch 1 is missing in")));
  EXPECT_THROW(set_unfinished_aside(out()), RunError);
  add(1, true);
  fs::remove_all(dir_of_launch(out(), 4));
  fs::remove_all(dir_of_launch(out(), 3));  // their logs are there
  EXPECT_THAT([&] { finished(); }, ThrowsMessage<RunError>(HasSubstr("launch 3 is missing in")));
}

TEST_F(LaunchFolder, NamesAnUnfinishedLaunchBelowAnother) {
  add(1, true);
  add(2, false);
  add(3, true);
  EXPECT_THAT([&] { finished(); },
              ThrowsMessage<RunError>(HasSubstr("says that launch 2 did not finish, though launch "
                                                "3 was begun after it")));
  folder_.write("launches/0002/raw/run_info.json", "{\"schema\": \"trace");  // torn
  EXPECT_THAT([&] { finished(); }, ThrowsMessage<RunError>(HasSubstr("0002/raw/run_info.json")));
  EXPECT_THROW(set_unfinished_aside(out()), RunError);
}

TEST_F(LaunchFolder, RefusesCopiesOfALaunch) {
  add(1, true);
  add(2, true);
  write_run_info(dir_of_launch(out(), 2) + "/raw/run_info.json", launch_info(1));
  EXPECT_THAT([&] { finished(); },
              ThrowsMessage<RunError>(HasSubstr("is of launch 1, not of launch 2")));
  RunInfo same_run = launch_info(2);
  same_run.run = launch_info(1).run;
  write_run_info(dir_of_launch(out(), 2) + "/raw/run_info.json", same_run);
  EXPECT_THAT([&] { finished(); }, ThrowsMessage<RunError>(HasSubstr("launches 1 and 2 in")));
}

TEST_F(LaunchFolder, SetsTheUnfinishedLaunchAsideAndKeepsIt) {
  add(1, true);
  add(2, false);
  EXPECT_THAT(set_unfinished_aside(out()), ElementsAre("0002.unfinished-1"));
  add(2, false);
  EXPECT_THAT(set_unfinished_aside(out()), ElementsAre("0002.unfinished-2"));
  folder_.write("launches/0002.log", "rank 0: ...");  // it took its folder back
  EXPECT_THAT(set_unfinished_aside(out()), ElementsAre("0002.unfinished-3"));
  EXPECT_THAT(set_unfinished_aside(out()), IsEmpty());
  EXPECT_TRUE(fs::exists(out() + "/launches/0002.unfinished-1/raw/run_info.json"));
  EXPECT_EQ(folder_.read("launches/0002.unfinished-2.log"), "log");
  EXPECT_FALSE(fs::exists(out() + "/launches/0002"));
  EXPECT_THAT(finished(), ElementsAre(1));
}

TEST_F(LaunchFolder, NamesAFinishedLaunchThatWasEdited) {
  add(1, true);
  std::string text = folder_.read("launches/0001/raw/run_info.json");
  text.replace(text.find("\"abc\""), 5, "\"abd\"");
  folder_.write("launches/0001/raw/run_info.json", text);
  EXPECT_THAT([&] { finished(); },
              ThrowsMessage<RunError>(HasSubstr("0001/raw/run_info.json was edited")));
  EXPECT_THROW(set_unfinished_aside(out()), RunError);  // and is not set aside either
  EXPECT_THAT(finished(true), ElementsAre(1));
}

TEST_F(LaunchFolder, TakesLaunchesOfOneConfigAndBuildAlone) {
  RunInfo other = launch_info(2);
  EXPECT_NO_THROW(require_same_campaign("out", launch_info(1), other));
  other.environment.facts["cpu_model"] = "another";  // of another node
  EXPECT_NO_THROW(require_same_campaign("out", launch_info(1), other));
  other.environment.facts["build_commit"] = "def";
  EXPECT_THAT([&] { require_same_campaign("out", launch_info(1), other); },
              ThrowsMessage<UsageError>("out holds launches of another build: build_commit is abc "
                                        "there and def here; choose another --out"));
  other = launch_info(2);
  other.config_text.replace(other.config_text.find("launch_blocks: 4"), 16, "launch_blocks: 8");
  EXPECT_THAT([&] { require_same_campaign("out", launch_info(1), other); },
              ThrowsMessage<UsageError>(HasSubstr(
                  "another config: 'launch_blocks: 4' there and 'launch_blocks: 8' here")));
  other = launch_info(2);
  other.world_size = 3;
  EXPECT_THAT([&] { require_same_campaign("out", launch_info(1), other); },
              ThrowsMessage<UsageError>(HasSubstr("number of ranks: 2 there and 3 here")));
}

TEST_F(LaunchFolder, IsLockedAgainstAnotherCampaignUntilTheFirstEnds) {
  const auto is_free = [&] {
    const int file = ::open((out() + "/launches/lock").c_str(), O_RDWR | O_CLOEXEC);
    const bool got = ::flock(file, LOCK_EX | LOCK_NB) == 0;
    ::close(file);
    return got;
  };
  {
    const LaunchFolderLock lock(out());
    EXPECT_FALSE(is_free());
  }
  EXPECT_TRUE(is_free());
}

TEST_F(LaunchFolder, RefusesASecondCampaignByName) {
  const LaunchFolderLock lock(out());
  EXPECT_THAT([&] { LaunchFolderLock second(out(), std::chrono::seconds(0)); },
              ThrowsMessage<UsageError>(HasSubstr("another traceml-bench is at work in")));
}

}  // namespace
}  // namespace traceml
