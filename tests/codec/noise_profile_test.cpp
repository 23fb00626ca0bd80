#include "harness/codec/noise_profile.h"

#include <gmock/gmock.h>

#include "harness/codec/config_file.h"
#include "harness/codec/selfcheck_request.h"
#include "harness/core/error.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;
using ::testing::ThrowsMessage;

constexpr const char* kConfig =
    "name: a\nworkload: {model: spin}\nmeasure: {steps: 16}\n"
    "arms: {shipped: {}, deeper: {input: {prefetch: 7}}}\n"
    "gates: [{compare: deeper, against: shipped}]\n";

std::string hash_with(const std::string& override_text) {
  std::vector<std::string> overrides;
  if (!override_text.empty()) overrides.push_back(override_text);
  return config_hash(read_config_text(kConfig, "a.yaml", overrides));
}

TEST(ConfigHash, is_of_what_is_run_in_a_window_and_of_nothing_else) {
  const std::string hash = hash_with("");
  EXPECT_EQ(hash.size(), 16u);
  for (const char* same : {"name=b", "seed=9", "measure.max_blocks=6", "measure.launches=6",
                           "measure.noise_profile=x.json", "measure.interaction_sd=1%",
                           "measure.time_limit=1h", "require.ranks=2", "workload.device=cpu"}) {
    EXPECT_EQ(hash_with(same), hash) << same;
  }
  const std::string sweep = "sweep: {arm: shipped, over: {input.workers: [1, 2]}}\n";
  EXPECT_EQ(config_hash(read_config_text(kConfig + sweep, "a.yaml", {})), hash);
  for (const char* other :
       {"measure.steps=24", "input.workers=8", "workload.noise=1%", "workload.batch_size=4",
        "measure.instrument=host", "measure.warmup_steps=0", "plant=[{drift: 1%}]"}) {
    EXPECT_NE(hash_with(other), hash) << other;
  }
}

NoiseProfile profile() {
  return {"2026-11-30T02:00:00Z",
          "0.1.0",
          "0123456789abcdef",
          {{"device", "H200"}},
          "shipped",
          20,
          20,
          .1 / 3,
          .001,
          .0025};
}

TEST(NoiseProfileFile, comes_back_to_the_last_bit) {
  const TemporaryFolder folder;
  const std::string file = folder.path("noise_profile.json");
  write_noise_profile(file, profile());
  const NoiseProfile read = read_noise_profile(file);
  EXPECT_EQ(read.config_hash, "0123456789abcdef");
  EXPECT_EQ(read.machine.at("device"), "H200");
  EXPECT_EQ(read.launches, 20);
  EXPECT_EQ(read.pair_sd, .1 / 3);
  EXPECT_EQ(read.interaction_sd, .001);
  EXPECT_EQ(read.interaction_sd_upper, .0025);
}

TEST(NoiseProfileFile, is_refused_where_it_was_edited_or_is_none) {
  const TemporaryFolder folder;
  const std::string file = folder.path("noise_profile.json");
  write_noise_profile(file, profile());
  std::string text = folder.read("noise_profile.json");
  folder.write("noise_profile.json", text.replace(text.find("0.001,"), 6, "0.000,"));
  EXPECT_THAT([&] { read_noise_profile(file); },
              ThrowsMessage<RunError>(HasSubstr("noise_profile.json was edited")));
  NoiseProfile wild = profile();
  wild.interaction_sd = -1;
  write_noise_profile(file, wild);
  EXPECT_THAT([&] { read_noise_profile(file); },
              ThrowsMessage<RunError>(HasSubstr("a standard deviation in it is none")));
  folder.write("noise_profile.json", "{}");
  EXPECT_THAT([&] { read_noise_profile(file); },
              ThrowsMessage<RunError>(HasSubstr("does not say that its schema is")));
  EXPECT_THROW(read_noise_profile(folder.path("none.json")), RunError);
}

TEST(NoiseProfileFile, starts_at_the_folder_of_its_config_and_hides_absolute_folders) {
  const TemporaryFolder folder;
  folder.write("c.yaml", "measure: {noise_profile: profiles/n.json}\n");
  const MeasureConfig beside = read_config_file(folder.path("c.yaml"), {}).measure;
  EXPECT_EQ(beside.noise_profile, "profiles/n.json");
  EXPECT_EQ(beside.noise_profile_path, folder.path("profiles/n.json"));
  const MeasureConfig absolute =
      read_config_file(folder.path("c.yaml"), {"measure.noise_profile=/home/ann/n.json"}).measure;
  EXPECT_EQ(absolute.noise_profile, "n.json");
  EXPECT_EQ(absolute.noise_profile_path, "/home/ann/n.json");
}

TEST(SelfcheckRequestFile, comes_back_and_is_refused_where_it_was_edited) {
  const TemporaryFolder folder;
  SelfcheckRequest request;
  request.config_hash = "0123456789abcdef";
  request.arm = "shipped";
  request.plants = {.03};
  request.effects = {.01, .02};
  request.seed = 18446744073709551615u;
  request.runs = 20;
  request.launches = 6;
  request.ranks = 2;
  const std::string file = selfcheck_request_file(folder.path());
  write_selfcheck_request(file, request);
  const SelfcheckRequest read = read_selfcheck_request(file);
  EXPECT_EQ(read.plants, request.plants);
  EXPECT_EQ(read.effects, request.effects);
  EXPECT_EQ(read.seed, request.seed);
  EXPECT_EQ(read.runs, 20);
  EXPECT_EQ(read.launches, 6);
  EXPECT_EQ(read.ranks, 2);
  std::string text = folder.read("selfcheck_request.json");
  folder.write("selfcheck_request.json", text.replace(text.find("0.03"), 4, "0.04"));
  EXPECT_THROW(read_selfcheck_request(file), RunError);
}

}  // namespace
}  // namespace traceml
