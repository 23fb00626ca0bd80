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

  traceml::testing::TemporaryFolder folder_;
};

TEST_F(LaunchFolder, CountsLaunchesWhosePlanWasRunToItsEnd) {
  add(1, true);
  add(2, false);
  add(3, true);
  fs::create_directories(dir_of_launch(out(), 4) + "/raw");  // killed before it wrote anything
  add(5, false);
  folder_.write("launches/0005/raw/run_info.json", "{\"schema\": \"trace");  // torn
  EXPECT_THAT(finished_launches(out()), ElementsAre(1, 3));
}

TEST_F(LaunchFolder, SetsUnfinishedLaunchesAsideAndKeepsThem) {
  add(1, true);
  add(2, false);
  EXPECT_THAT(set_unfinished_aside(out()), ElementsAre("0002.unfinished-1"));
  add(2, false);
  EXPECT_THAT(set_unfinished_aside(out()), ElementsAre("0002.unfinished-2"));
  EXPECT_THAT(set_unfinished_aside(out()), IsEmpty());
  EXPECT_TRUE(fs::exists(out() + "/launches/0002.unfinished-1/raw/run_info.json"));
  EXPECT_EQ(folder_.read("launches/0002.unfinished-2.log"), "log");
  EXPECT_FALSE(fs::exists(out() + "/launches/0002"));
  EXPECT_THAT(finished_launches(out()), ElementsAre(1));
}

TEST_F(LaunchFolder, NamesAFinishedLaunchThatWasEdited) {
  add(1, true);
  std::string text = folder_.read("launches/0001/raw/run_info.json");
  text.replace(text.find("\"abc\""), 5, "\"abd\"");
  folder_.write("launches/0001/raw/run_info.json", text);
  EXPECT_THAT([&] { finished_launches(out()); },
              ThrowsMessage<RunError>(HasSubstr("0001/raw/run_info.json was edited")));
  EXPECT_THROW(set_unfinished_aside(out()), RunError);  // and is not set aside either
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
              ThrowsMessage<UsageError>(HasSubstr("another traceml-bench launch is at work in")));
}

}  // namespace
}  // namespace traceml
