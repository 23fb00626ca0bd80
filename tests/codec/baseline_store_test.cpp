#include "harness/codec/baseline_store.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "harness/codec/baseline_snapshot.h"
#include "harness/codec/campaign_json.h"
#include "harness/core/error.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

CampaignRecord campaign_of(const std::string& run, double wall_ms = 40.125) {
  CampaignRecord campaign;
  campaign.created_utc = "2026-11-29T02:00:00Z";
  campaign.runs = {run + "-1", run + "-2", run + "-3"};
  campaign.machine = {{"device", "H200"}, {"world_size", "2"}};
  campaign.software = {{"commit", "a"}};
  campaign.recorded = {{"kernel", "6.1"}};
  StoredArm shipped{"reference", {{"input.workers", "8"}}, {}};
  for (int i = 0; i < 3; ++i) shipped.launches.push_back({Millis{wall_ms + i / 3.0}, .1 / (i + 3)});
  campaign.arms["shipped"] = shipped;
  campaign.arms["reference"].launches = {{Millis{wall_ms}, std::nullopt}};
  return campaign;
}

class BaselineStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 1; i <= 6; ++i) add_campaign(dir_, campaign_of("night" + std::to_string(i)));
  }

  void expect_refused(const std::string& sentence) const {
    try {
      read_store(dir_);
      ADD_FAILURE() << "read, though " << sentence;
    } catch (const RunError& error) {
      EXPECT_THAT(error.what(), HasSubstr(sentence));
    }
  }

  // Replaces the first `from` in a file of the store.
  void edit(const std::string& name, const std::string& from, const std::string& to) const {
    std::string text = folder_.read("store/" + name);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    folder_.write("store/" + name, text.replace(at, from.size(), to));
  }

  // A whole store in another folder.
  void add_and_pin(const std::string& name) {
    const std::string dir = folder_.path(name);
    for (int i = 1; i <= 5; ++i) add_campaign(dir, campaign_of(name + std::to_string(i)));
    pin_campaigns(dir, {1, 2, 3, 4, 5}, "");
  }

  // The store as a version without heads wrote it.
  void make_older() {
    fs::remove(dir_ + "/head.json");
    std::string before = "00000000";
    for (int i = 1; i <= 6; ++i) {
      const std::string name = "store/campaign_000" + std::to_string(i) + ".json";
      auto json = nlohmann::ordered_json::parse(folder_.read(name));
      json.erase("crc32");
      json.erase("headed");
      json["follows"] = before;
      const SealedText text = sealed(json);
      folder_.write(name, text.text);
      before = text.crc32;
    }
  }

  TemporaryFolder folder_;
  std::string dir_ = folder_.path("store");
};

TEST_F(BaselineStoreTest, gives_back_what_was_added_to_the_last_bit) {
  const BaselineStore store = read_store(dir_);
  ASSERT_EQ(store.campaigns.size(), 6u);
  const CampaignRecord wanted = campaign_of("night2");
  const CampaignRecord& read = store.campaigns[1];
  EXPECT_EQ(read.name, "campaign 2");
  EXPECT_EQ(read.created_utc, wanted.created_utc);
  EXPECT_EQ(read.runs, wanted.runs);
  EXPECT_EQ(read.machine, wanted.machine);
  EXPECT_EQ(read.software, wanted.software);
  EXPECT_EQ(read.recorded, wanted.recorded);
  ASSERT_EQ(read.arms.size(), 2u);
  const StoredArm& arm = read.arms.at("shipped");
  EXPECT_EQ(arm.reference, "reference");
  EXPECT_EQ(arm.settings.at("input.workers"), "8");
  ASSERT_EQ(arm.launches.size(), 3u);
  EXPECT_EQ(arm.launches[1].wall.count(), 40.125 + 1 / 3.0);
  EXPECT_EQ(*arm.launches[1].log_ratio, .1 / 4);
  EXPECT_FALSE(read.arms.at("reference").launches[0].log_ratio);
}

TEST_F(BaselineStoreTest, is_empty_where_there_is_no_folder) {
  EXPECT_TRUE(read_store(folder_.path("none")).campaigns.empty());
  EXPECT_FALSE(fs::exists(folder_.path("none")));
}

TEST_F(BaselineStoreTest, pins_nothing_by_itself) {
  PinnedBaseline pinned = pinned_of(read_store(dir_));
  EXPECT_EQ(pinned.stored, 6);
  EXPECT_EQ(pinned.pin, 0);
  EXPECT_TRUE(pinned.campaigns.empty());
  EXPECT_EQ(pin_campaigns(dir_, {5, 1, 2, 3, 4}, "2026-11-29T08:00:00Z"), 1);
  EXPECT_EQ(add_campaign(dir_, campaign_of("night7")), 7);
  pinned = pinned_of(read_store(dir_));
  EXPECT_EQ(pinned.pin, 1);
  EXPECT_EQ(pinned.stored, 7);
  ASSERT_EQ(pinned.campaigns.size(), 5u);
  EXPECT_EQ(pinned.campaigns.back().name, "campaign 5");
}

TEST_F(BaselineStoreTest, keeps_earlier_pins) {
  pin_campaigns(dir_, {1, 2, 3, 4, 5}, "2026-11-29T08:00:00Z");
  const std::string first = folder_.read("store/pin_0001.json");
  EXPECT_EQ(pin_campaigns(dir_, {2, 3, 4, 5, 6}, "2026-11-30T08:00:00Z"), 2);
  EXPECT_EQ(folder_.read("store/pin_0001.json"), first);
  const BaselineStore store = read_store(dir_);
  ASSERT_EQ(store.pins.size(), 2u);
  EXPECT_THAT(store.pins[0].campaigns, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(store.pins[1].created_utc, "2026-11-30T08:00:00Z");
  EXPECT_EQ(pinned_of(store).campaigns.front().name, "campaign 2");
}

TEST_F(BaselineStoreTest, refuses_pins_that_are_no_baseline) {
  const auto refused = [&](const std::vector<int>& campaigns) -> std::string {
    try {
      pin_campaigns(dir_, campaigns, "");
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused({1, 2, 3, 4}), HasSubstr("4 campaigns make no baseline; pin 5 or more"));
  EXPECT_THAT(refused({1, 2, 3, 4, 7}), HasSubstr("has no campaign 7; it holds 6"));
  EXPECT_THAT(refused({1, 2, 3, 4, 4}), HasSubstr("named twice"));
  EXPECT_TRUE(read_store(dir_).pins.empty());
}

TEST_F(BaselineStoreTest, counts_a_launch_once) {
  CampaignRecord again = campaign_of("another");
  again.runs.push_back("night3-2");
  try {
    add_campaign(dir_, again);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds launch night3-2 already, in campaign 3"));
  }
  EXPECT_EQ(read_store(dir_).campaigns.size(), 6u);
}

TEST_F(BaselineStoreTest, names_a_file_that_was_edited) {
  edit("campaign_0003.json", "40.125", "41.125");
  expect_refused("campaign_0003.json was edited");
}

TEST_F(BaselineStoreTest, names_a_file_that_is_torn) {
  const std::string text = folder_.read("store/campaign_0003.json");
  folder_.write("store/campaign_0003.json", text.substr(0, text.size() / 2));
  expect_refused("campaign_0003.json is torn");
  folder_.write("store/campaign_0003.json", "");
  expect_refused("campaign_0003.json is torn");
}

TEST_F(BaselineStoreTest, names_a_file_that_is_missing) {
  fs::remove(dir_ + "/campaign_0003.json");
  expect_refused("campaign_0003.json is missing, and campaign_0006.json is there");
}

TEST_F(BaselineStoreTest, names_the_last_campaign_and_the_last_pin_that_are_missing) {
  fs::remove(dir_ + "/campaign_0006.json");
  expect_refused("campaign_0006.json is missing, and head.json counts 6; put it back");
  EXPECT_THROW(add_campaign(dir_, campaign_of("night7")), RunError);
  add_and_pin("second");
  fs::remove(folder_.path("second/pin_0001.json"));
  dir_ = folder_.path("second");
  expect_refused("pin_0001.json is missing, and head.json counts 1");
}

TEST_F(BaselineStoreTest, names_a_last_campaign_that_was_exchanged_by_its_head) {
  const std::string other = folder_.path("other");
  for (int i = 1; i <= 5; ++i) add_campaign(other, campaign_of("night" + std::to_string(i)));
  add_campaign(other, campaign_of("night6", 30));
  fs::copy_file(other + "/campaign_0006.json", dir_ + "/campaign_0006.json",
                fs::copy_options::overwrite_existing);
  expect_refused("campaign_0006.json is not the one that head.json names");
}

TEST_F(BaselineStoreTest, names_a_head_that_is_missing_or_edited) {
  const std::string head = folder_.read("store/head.json");
  edit("head.json", "\"count\": 6", "\"count\": 5");
  expect_refused("head.json was edited");
  fs::remove(dir_ + "/head.json");
  expect_refused("head.json is missing, which counts the files of the store; put it back");
  folder_.write("store/head.json", head);
  EXPECT_EQ(read_store(dir_).campaigns.size(), 6u);
}

TEST_F(BaselineStoreTest, reads_a_store_of_an_older_version_and_counts_on_from_it) {
  make_older();
  EXPECT_EQ(read_store(dir_).campaigns.size(), 6u);
  fs::remove(dir_ + "/campaign_0006.json");  // goes unseen, as it did then
  EXPECT_EQ(add_campaign(dir_, campaign_of("night7")), 6);
  fs::remove(dir_ + "/campaign_0006.json");
  expect_refused("campaign_0006.json is missing, and head.json counts 6");
}

// As if its job was killed before it wrote the head.
TEST_F(BaselineStoreTest, reads_a_campaign_that_the_head_does_not_count_yet_and_counts_it_later) {
  const std::string five = [&] {
    const std::string other = folder_.path("other");
    for (int i = 1; i <= 5; ++i) add_campaign(other, campaign_of("night" + std::to_string(i)));
    return folder_.read("other/head.json");
  }();
  folder_.write("store/head.json", five);
  EXPECT_EQ(read_store(dir_).campaigns.size(), 6u);
  pin_campaigns(dir_, {1, 2, 3, 4, 5}, "");
  fs::remove(dir_ + "/campaign_0006.json");
  expect_refused("campaign_0006.json is missing, and head.json counts 6");
}

TEST_F(BaselineStoreTest, names_a_pinned_campaign_that_is_missing_at_the_end) {
  make_older();
  pin_campaigns(dir_, {2, 3, 4, 5, 6}, "");
  fs::remove(dir_ + "/campaign_0006.json");
  expect_refused("pin_0001.json is not of this store, or was changed: campaign 6");
}

TEST_F(BaselineStoreTest, names_a_campaign_of_another_store) {
  const std::string other = folder_.path("other");
  for (int i = 1; i <= 6; ++i) add_campaign(other, campaign_of("x" + std::to_string(i), 30));
  fs::copy_file(other + "/campaign_0003.json", dir_ + "/campaign_0003.json",
                fs::copy_options::overwrite_existing);
  expect_refused(
      "campaign_0003.json is not of this store, or was changed: it does not follow "
      "campaign_0002.json");
}

TEST_F(BaselineStoreTest, names_the_successor_of_a_first_campaign_that_was_exchanged) {
  const std::string other = folder_.path("other");
  add_campaign(other, campaign_of("x", 30));
  fs::copy_file(other + "/campaign_0001.json", dir_ + "/campaign_0001.json",
                fs::copy_options::overwrite_existing);
  expect_refused("campaign_0002.json is not of this store");
}

TEST_F(BaselineStoreTest, names_a_last_campaign_that_was_exchanged_by_its_pin) {
  pin_campaigns(dir_, {2, 3, 4, 5, 6}, "");
  const std::string other = folder_.path("other");
  for (int i = 1; i <= 5; ++i) add_campaign(other, campaign_of("night" + std::to_string(i)));
  add_campaign(other, campaign_of("night6", 30));
  fs::copy_file(other + "/campaign_0006.json", dir_ + "/campaign_0006.json",
                fs::copy_options::overwrite_existing);
  expect_refused("it pins another campaign 6 than the one that is there");
}

TEST_F(BaselineStoreTest, names_what_is_no_file_of_it_and_overlooks_what_is_being_written) {
  folder_.write("store/campaign_0007.json.tmp123", "half");
  folder_.write("store/.gitignore", "");
  EXPECT_EQ(read_store(dir_).campaigns.size(), 6u);
  folder_.write("store/campaign_7.json", "{}");
  expect_refused("holds campaign_7.json, which is no file of a store of baselines");
}

TEST_F(BaselineStoreTest, loses_nothing_when_processes_add_at_once) {
  constexpr int kProcesses = 4, kEach = 8;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int code = 0;
      try {
        for (int i = 0; i < kEach; ++i) {
          add_campaign(dir_, campaign_of("p" + std::to_string(p) + "-" + std::to_string(i)));
          pin_campaigns(dir_, {1, 2, 3, 4, 5}, "");
        }
      } catch (...) {
        code = 1;
      }
      _exit(code);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const BaselineStore store = read_store(dir_);
  std::set<std::string> runs;
  for (const CampaignRecord& campaign : store.campaigns) runs.insert(campaign.runs.front());
  EXPECT_EQ(runs.size(), 6u + kProcesses * kEach);
  EXPECT_EQ(store.campaigns.size(), 6u + kProcesses * kEach);
  EXPECT_EQ(store.pins.size(), std::size_t{kProcesses} * kEach);
  const std::string head = folder_.read("store/head.json");
  EXPECT_THAT(head, HasSubstr("\"count\": " + std::to_string(store.campaigns.size())));
  EXPECT_THAT(head, HasSubstr("\"count\": " + std::to_string(store.pins.size())));
}

TEST_F(BaselineStoreTest, is_kept_with_a_campaign_as_it_was_pinned) {
  pin_campaigns(dir_, {1, 2, 3, 4, 5}, "");
  const std::string file = folder_.path("baselines.json");
  write_baselines(file, {{"baselines/food101", pinned_of(read_store(dir_))}, {"none", {}}});
  const auto read = read_baselines(file);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read.at("none").pin, 0);
  const PinnedBaseline& baseline = read.at("baselines/food101");
  EXPECT_EQ(baseline.stored, 6);
  ASSERT_EQ(baseline.campaigns.size(), 5u);
  EXPECT_EQ(baseline.campaigns[4].name, "campaign 5");
  EXPECT_EQ(*baseline.campaigns[4].arms.at("shipped").launches[1].log_ratio, .1 / 4);
  std::string text = folder_.read("baselines.json");
  folder_.write("baselines.json", text.replace(text.find("40.125"), 6, "41.125"));
  EXPECT_THROW(read_baselines(file), RunError);
}

}  // namespace
}  // namespace traceml
