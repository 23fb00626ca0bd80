#include "harness/plan/gpu_decode_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/loader_memory.h"
#include "harness/plan/plan.h"

namespace traceml {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

using Settings = std::vector<std::pair<std::string, std::string>>;

Config config_with(const Settings& settings) {
  Config config;
  config.input.dataset = "images";
  for (const auto& [path, text] : settings) {
    EXPECT_EQ(find_config_key(path)->set(config, text), std::nullopt) << path;
  }
  return config;
}

void expect_refused(const Settings& settings, const std::string& sentence) {
  EXPECT_THAT([&] { make_plan(config_with(settings), 1); },
              ThrowsMessage<UsageError>(HasSubstr(sentence)));
}

TEST(DecodingOnAGpu, is_accepted_with_a_share_or_without) {
  EXPECT_TRUE(decodes_on_gpu(make_plan(config_with({{"input.decode", "gpu"}}), 1).config.arms[0]));
  make_plan(config_with({{"input.decode", "gpu"}, {"input.hardware_share", "0.65"}}), 1);
  make_plan(config_with({{"input.decode", "gpu_naive"}}), 1);
  EXPECT_FALSE(decodes_on_gpu(make_plan(config_with({}), 1).config.arms[0]));
}

TEST(DecodingOnAGpu, refuses_keys_that_it_does_not_have) {
  expect_refused(
      {{"input.decode", "gpu"}, {"input.workers", "0"}},
      "input.workers: 0 in the arm 'shipped' cannot be had with input.decode: gpu, whose "
      "threads read the files; use 1");
  expect_refused({{"input.decode", "gpu"}, {"input.scheduling", "per_batch"}},
                 "input.scheduling: per_batch in the arm 'shipped' cannot be had with "
                 "input.decode: gpu, whose workers share each batch; use per_sample");
  expect_refused({{"input.decode", "gpu_naive"}, {"input.pinned", "false"}},
                 "input.pinned: false in the arm 'shipped' cannot be had with input.decode: "
                 "gpu_naive, whose batches are made there; leave it out");
  expect_refused({{"input.decode", "gpu"}, {"input.pin_copy", "true"}},
                 "input.pin_copy: true in the arm 'shipped' cannot be had with input.decode: gpu, "
                 "whose batches are made there; leave it out");
  expect_refused({{"input.decode", "gpu"}, {"input.copy", "blocking"}},
                 "input.copy: blocking in the arm 'shipped' cannot be had with input.decode: gpu, "
                 "which copies no batch; leave it out");
  expect_refused({{"input.decode", "gpu"}, {"input.scaled_decode", "auto"}},
                 "input.scaled_decode: auto in the arm 'shipped' cannot be had with input.decode: "
                 "gpu, which decodes at full size; use off");
}

TEST(DecodingOnAGpu, is_refused_where_there_is_none) {
  expect_refused({{"input.decode", "gpu"}, {"workload.device", "cpu"}},
                 "input.decode: gpu in the arm 'shipped' needs CUDA, and workload.device is cpu; "
                 "use decode: cpu");
  expect_refused({{"input.decode", "gpu"}, {"workload.model", "spin"}},
                 "input.decode: gpu belongs to training");
}

TEST(HardwareShare, is_refused_where_no_engine_would_get_it) {
  expect_refused({{"input.hardware_share", "0.5"}},
                 "input.hardware_share: 0.5 in the arm 'shipped' is a matter of input.decode: gpu, "
                 "and its decode is cpu; leave it out");
  expect_refused({{"input.hardware_share", "0.5"}, {"input.decode", "gpu_naive"}},
                 "its decode is gpu_naive");
}

TEST(HardwareShare, is_a_part_or_auto) {
  Config config;
  const ConfigKey* key = find_config_key("input.hardware_share");
  EXPECT_EQ(key->get(config), "auto");
  EXPECT_NE(key->set(config, "1.5"), std::nullopt);
  EXPECT_NE(key->set(config, "-0.1"), std::nullopt);
  EXPECT_EQ(key->set(config, "1"), std::nullopt);
  EXPECT_EQ(key->get(config), "1");
}

TEST(LoaderMemory, of_gpu_decoding_lies_on_the_gpu) {
  EXPECT_THAT(loaders_of(make_plan(config_with({{"input.decode", "gpu"}}), 1)), IsEmpty());
  const auto naive = loaders_of(make_plan(config_with({{"input.decode", "gpu_naive"}}), 1));
  ASSERT_EQ(naive.size(), 1U);
  EXPECT_EQ(naive.front().slot_bytes, 128 * 128 * 1024) << "a batch of files";
}

// An arm with the CPU's loader, one that decodes with engines and one without.
Config three_arms() {
  Config config = config_with({});
  for (const auto& [name, decode, share] : {std::tuple{"cpu", Decode::kCpu, 0.0},
                                            {"cuda", Decode::kGpu, 0.0},
                                            {"engines", Decode::kGpu, 0.9}}) {
    ArmConfig arm = make_arm(config, name);
    arm.input.decode = decode;
    if (decode == Decode::kGpu) arm.input.hardware_share = share;
    config.arms.push_back(arm);
  }
  return config;
}

std::vector<std::string> names_of(const Config& config) {
  std::vector<std::string> names;
  for (const ArmConfig& arm : config.arms) names.push_back(arm.name);
  return names;
}

LeftOut left_out_of(const GpuDecodeLack& lack, Config* config) {
  return leave_out_arms(lack, make_plan(*config, 1).facts, config);
}

TEST(ArmsThatCannotRun, are_left_out_with_a_sentence_each) {
  Config config = three_arms();
  EXPECT_THAT(left_out_of({"no nvJPEG", ""}, &config).sentences,
              ElementsAre("cuda was left out: no nvJPEG", "engines was left out: no nvJPEG"));
  EXPECT_THAT(names_of(config), ElementsAre("cpu"));
  EXPECT_EQ(make_plan(config, 1).facts.arms.size(), 1U);
}

TEST(ArmsThatCannotRun, are_those_with_engines_alone_where_only_engines_lack) {
  Config config = three_arms();
  EXPECT_THAT(left_out_of({"", "no engines"}, &config).sentences,
              ElementsAre("engines was left out: no engines"));
  EXPECT_THAT(names_of(config), ElementsAre("cpu", "cuda"));
}

TEST(ArmsThatCannotRun, are_none_where_nothing_lacks) {
  Config config = three_arms();
  EXPECT_THAT(left_out_of({}, &config).sentences, IsEmpty());
  EXPECT_EQ(config.arms.size(), 3U);
}

GateConfig gate_of(const std::string& candidate, const std::string& baseline) {
  GateConfig gate;
  gate.candidate = candidate;
  gate.baseline = baseline;
  return gate;
}

TEST(ArmsThatCannotRun, take_the_gates_that_name_them_along_and_leave_the_others) {
  Config config = three_arms();
  config.arms.push_back(make_arm(config, "deeper"));
  config.arms.back().input.prefetch = 4;
  config.gates = {gate_of("deeper", "cpu"), gate_of("engines", "cpu"), gate_of("cpu", "cuda")};
  config.gates[1].inconclusive_passes = true;
  config.gates[1].escalate_after = 3;
  config.gates[1].delta = 0.05;
  const LeftOut left_out = left_out_of({"", "no engines"}, &config);
  ASSERT_EQ(left_out.gates.size(), 1U);
  const GateSpec& gate = left_out.gates.front();
  EXPECT_EQ(gate.name, "engines against cpu");
  EXPECT_EQ(gate.left_out,
            (LeftOutArms{"engines", "cpu", "the arm engines cannot run here: no engines"}));
  EXPECT_EQ(gate.delta, 0.05);
  EXPECT_TRUE(gate.inconclusive_passes);
  EXPECT_EQ(gate.escalate_after, 3);
  const CampaignFacts facts = make_plan(config, 1).facts;
  ASSERT_EQ(facts.gates.size(), 2U);
  EXPECT_EQ(facts.gates[0].name, "deeper against cpu");
  EXPECT_EQ(facts.gates[1].name, "cpu against cuda");
}

TEST(ArmsThatCannotRun, take_gates_along_of_which_they_are_the_baseline_or_the_bare_twin) {
  Config config = three_arms();
  GateConfig overhead = gate_of("cuda", "");
  overhead.kind = GateKind::kMaxOverhead;
  overhead.overhead_of = Instrument::kEvents;
  config.gates = {overhead, gate_of("cpu", "cuda")};
  const LeftOut left_out = left_out_of({"no nvJPEG", ""}, &config);
  ASSERT_EQ(left_out.gates.size(), 2U);
  EXPECT_EQ(left_out.gates[0].name, "events on cuda");
  EXPECT_EQ(left_out.gates[0].left_out->baseline, "cuda");
  EXPECT_EQ(left_out.gates[1].left_out->candidate, "cpu");
  EXPECT_THAT(config.gates, IsEmpty());
}

TEST(ArmsThatCannotRun, end_the_run_where_the_rest_of_it_depends_on_them) {
  const auto refused = [](Config config, const std::string& sentence) {
    EXPECT_THAT(
        [&] {
          leave_out_arms({"no nvJPEG", ""}, {}, &config);
        },
        ThrowsMessage<UsageError>(HasSubstr(sentence)));
  };
  Config swept = three_arms();
  swept.sweep.arm = "cuda";
  refused(swept, "the arm 'cuda' cannot run here, and the sweep needs it: no nvJPEG");
  Config traced = three_arms();
  traced.trace.active = 4;
  traced.trace.arm = "cuda";
  refused(traced, "the arm 'cuda' cannot run here, and the trace needs it: no nvJPEG");
  Config alone = three_arms();
  alone.arms.erase(alone.arms.begin());
  refused(alone, "the arm 'cuda' cannot run here, and the run needs it: no nvJPEG");
}

}  // namespace
}  // namespace traceml
