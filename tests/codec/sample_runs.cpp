#include "tests/codec/sample_runs.h"

#include <cmath>
#include <stdexcept>

#include "harness/plan/config_keys.h"
#include "tests/codec/sample_parts.h"

namespace traceml::testing {
namespace {

Config sample_config() {
  Config config;
  config.name = "food101-resnet18";
  config.question = "Does the loader keep two CPU ranks fed at 2 workers?";
  config.seed = 7;
  config.workload.model = "resnet18";
  config.workload.batch_size = 8;
  config.workload.image_size = 64;
  config.workload.device = Device::kCpu;
  config.input.dataset = "/home/ann/data/food-101";
  config.input.workers = 2;
  return config;
}

RunInfo sample_info() {
  RunInfo info;
  info.tool_version = "0.1.0";
  info.created_utc = "2026-11-29T18:15:00Z";
  info.config_text = "name: food101-resnet18\n";
  info.world_size = 2;
  info.nodes = {0, 0};
  info.device = "cpu";
  info.exchange = "mpi";
  info.environment.facts = {{"cores_allowed", "2"},
                            {"cpu_model", "AMD EPYC 7763 64-Core Processor"},
                            {"device", "cpu"},
                            {"libtorch", "2.11.0"},
                            {"mpi", "Open MPI 4.1.4"}};
  info.facts = {{"dataset_images", "302"}, {"intra_op_threads", "1"}, {"parameters", "11,228,325"}};
  info.counters = {{"events_created", 0}, {"samples_replaced", 0}};
  info.equal_by_design = {{"shipped", "JPEG decoding and no copy from memory"}};
  info.notes = {"All ranks hold the same parameters (digest 8f3a61c2)."};
  info.finished = true;
  return info;
}

void add_gpu_facts(Environment* environment) {
  environment->facts.merge(std::map<std::string, std::string>{{"gpu_model", "NVIDIA H200"},
                                                              {"driver", "580.65.06"},
                                                              {"precision", "tf32"},
                                                              {"nccl", "2.28.9"}});
  environment->facts["device"] = "16 x NVIDIA H200";
}

void add_device_figures(ArmSummary* arm, int throttled) {
  arm->device = DeviceFigures{.windows = 10,
                              .throttled = throttled,
                              .power_capped = 4,
                              .reasons = {"sw_power_cap"},
                              .sm_clock_mhz = Range{1755, 1893.4, 1980},
                              .memory_clock_mhz = Range{3201, 3201, 3201},
                              .power_w = Range{512.5, 640.25, 699.75},
                              .temperature_c = std::nullopt,
                              .shared_windows = 0};
  if (throttled > 0) arm->device->reasons.emplace_back("hw_slowdown");
  arm->memory = MemoryFigures{.allocated_peak_bytes = 23'456'789'012,
                              .reserved_peak_bytes = 25'769'803'776,
                              .grown_windows = throttled,
                              .growth_bytes = 0};
}

// ResNet-50 at 128 images a rank in TF32, at the wall times that the arms have.
void train_on_gpus(Sample* sample) {
  sample->plan.config.workload.device = Device::kCuda;
  sample->plan.config.workload.model = "resnet50";
  sample->plan.config.workload.image_size = 224;
  sample->plan.config.workload.batch_size = 128;
  sample->plan.config.workload.precision = Precision::kTf32;
  for (const ArmFacts& arm : sample->plan.facts.arms) {
    sample->plan.config.arms.push_back(make_arm(sample->plan.config, arm.name));
  }
  for (ArmSummary& arm : sample->summary.arms) {
    arm.images_per_s = sample->info.world_size * 128 / Seconds(*arm.wall_per_step).count();
  }
}

}  // namespace

ArmSummary& Sample::arm(const std::string& name) {
  for (ArmSummary& arm : summary.arms) {
    if (arm.name == name) return arm;
  }
  throw std::out_of_range("no arm " + name);
}

GateResult left_out_gate() {
  GateResult gate;
  gate.spec.name = "engines against shipped";
  gate.spec.left_out = LeftOutArms{"engines", "shipped", "the arm engines cannot run here"};
  gate.reason = Reason::kArmLeftOut;
  gate.all_reasons = {Reason::kArmLeftOut};
  gate.why = gate.spec.left_out->why;
  return gate;
}

Sample passed_run() {
  Sample sample;
  sample.info = sample_info();
  sample.plan.config = sample_config();
  CampaignFacts& facts = sample.plan.facts;
  facts.world_size = 2;
  facts.steps_per_window = 48;
  facts.settle_steps = 2;
  facts.warmup_steps = 16;
  facts.seed = 7;
  facts.arms = {arm_facts("reference", Instrument::kEvents, true),
                arm_facts("shipped", Instrument::kEvents, false),
                arm_facts("shipped/none", Instrument::kNone, false)};
  GateSpec fraction = gate_spec("shipped against reference", GateKind::kMinFraction, 1, 0);
  fraction.delta = 1 / 0.95 - 1;
  fraction.min_fraction = 0.95;
  GateSpec overhead = gate_spec("overhead of events on shipped", GateKind::kMaxOverhead, 1, 2);
  overhead.delta = 0.01;
  facts.gates = {fraction, overhead};

  CampaignSummary& summary = sample.summary;
  summary.outcome = Outcome::kPass;
  summary.exit_code = 0;
  summary.blocks = 10;
  summary.arms = {instrumented_arm(0, "reference", kReference, 16),
                  instrumented_arm(1, "shipped", kShipped, 16)};
  summary.arms[1].fraction_of_reference = 0.978;
  summary.arms[1].fraction_interval = Interval{0.9711, 0.9849};
  summary.arms[1].of_common = FractionFigure{0.978, Interval{0.9711, 0.9849}, 10};
  summary.common_reference = ArmIndex{0};
  summary.arms[1].long_waits = {12, Millis(98), Millis(18.4), std::nullopt};
  ArmSummary bare;
  bare.arm = ArmIndex{2};
  bare.name = "shipped/none";
  bare.hidden = true;
  bare.windows = 10;
  bare.wall_per_step = Millis(175.41);
  bare.images_per_s = 16 / 0.17541;
  bare.window_distribution = around(175.41);
  bare.window_walls = windows_around(175.41);
  summary.arms.push_back(bare);
  summary.gates = {gate_from(fraction, Outcome::kPass, -std::log(0.978), 0.0066),
                   gate_from(overhead, Outcome::kPass, 0.0004, 0.0071)};
  summary.gates[0].differing_keys = {"input.source: dataset against synthetic"};
  summary.gates[1].differing_keys = {"measure.instrument: events against none"};
  summary.gates[1].per_rank_difference = {{Rank{0}, Millis(0.081)}, {Rank{1}, Millis(0.059)}};
  return sample;
}

Sample failed_run() {
  Sample sample = passed_run();
  ArmFacts deeper = arm_facts("deeper", Instrument::kEvents, false);
  deeper.settings[1].second = "0";
  sample.plan.facts.arms.push_back(deeper);
  GateSpec spec = gate_spec("deeper against shipped", GateKind::kMaxRegression, 3, 1);
  spec.delta = 0.02;
  sample.plan.facts.gates.push_back(spec);
  ArmTimes slow = kShipped;
  slow.wall = 180.97;
  slow.input_wait = 8.03;
  ArmSummary arm = instrumented_arm(3, "deeper", slow, 16);
  arm.fraction_of_reference = 0.948;
  arm.input = input_of_arm(0, slow);
  sample.arm("shipped").input = input_of_arm(2, kShipped);
  arm.fraction_interval = Interval{0.9417, 0.9543};
  arm.of_common = FractionFigure{0.948, Interval{0.9417, 0.9543}, 10};
  arm.long_waits = {471, Millis(3840), Millis(31.2), WaitRhythm{1, 452, 461}};
  sample.summary.arms.push_back(arm);
  GateResult gate = gate_from(spec, Outcome::kFail, std::log(1.031), 0.007);
  gate.why = "the lower bound of the change, +2.4 %, is above the margin of 2 %";
  gate.differing_keys = {"input.workers: 0 against 2", "input.prefetch: 4 against 2"};
  gate.where = {{"input_wait", Clock::kCpu, Millis(5.32)}, {"backward", Clock::kCpu, Millis(0.11)},
                {"optimizer", Clock::kCpu, Millis(-0.04)}, {"forward", Clock::kCpu, Millis(0.02)},
                {"loss", Clock::kCpu, Millis(0.001)},      {"outside", Clock::kCpu, Millis(0.01)}};
  gate.mean_difference = Millis(5.49);
  gate.fail_lower = 0.0228;
  sample.summary.gates.push_back(gate);
  sample.summary.outcome = Outcome::kFail;
  sample.summary.exit_code = 10;
  sample.summary.warnings = {"1 of 40 windows lies outside 3 IQR of its arm (deeper, block 7)."};
  return sample;
}

Sample inconclusive_run() {
  Sample sample = passed_run();
  sample.plan.config.workload.device = Device::kAuto;
  GateResult wide =
      gate_from(sample.plan.facts.gates[0], Outcome::kInconclusive, -std::log(0.957), 0.031);
  wide.differing_keys = sample.gate(0).differing_keys;
  wide.reason = Reason::kNotSteady;
  wide.all_reasons = {Reason::kNotSteady, Reason::kWideInterval};
  wide.why =
      "the first third of the windows is 4.1 % slower than the last (t 3.9), more than half of the "
      "margin; warm up for longer than 16 steps";
  wide.blocks = 20;
  wide.look = 0;
  sample.gate(0) = wide;
  sample.gate(1).outcome = Outcome::kInconclusive;
  sample.gate(1).reason = Reason::kWideInterval;
  sample.gate(1).all_reasons = {Reason::kWideInterval};
  sample.gate(1).why =
      "the interval is 2.9 % wide and the margin 1 %; more blocks or launches help";
  sample.gate(1).spec.inconclusive_passes = true;
  sample.summary.outcome = Outcome::kInconclusive;
  sample.summary.exit_code = 11;
  sample.summary.reason = Reason::kNotSteady;
  return sample;
}

Sample run_without_gates() {
  Sample sample = passed_run();
  sample.plan.facts.gates.clear();
  sample.summary.gates.clear();
  sample.summary.no_gates = true;
  return sample;
}

Sample run_with_missing_rank() {
  Sample sample = passed_run();
  sample.info.finished = false;
  sample.info.failure =
      "rank 1 failed in arm shipped, window 7, step 12, input_wait: cannot read "
      "/home/ann/data/food-101/images/pho/1204.jpg: not a JPEG file";
  sample.summary.missing_ranks = {Rank{1}};
  sample.summary.warnings = {"rank 1 reported nothing"};
  sample.summary.exit_code = 4;
  sample.summary.outcome = Outcome::kInconclusive;
  sample.summary.reason = Reason::kMissingRank;
  sample.summary.blocks = 3;
  for (ArmSummary& arm : sample.summary.arms) {
    arm.windows = 3;
    arm.wall_per_step.reset();
    arm.images_per_s.reset();
    arm.fraction_of_reference.reset();
    arm.fraction_interval.reset();
    arm.of_common.reset();
    arm.global = StepFigures{};
    arm.clock.reset();
    arm.clock_why = "rank 1 did not report";
    arm.step_distribution.reset();
    arm.window_distribution.reset();
    arm.window_walls.clear();
    arm.first_batch.reset();
    arm.first_step.reset();
    if (arm.ranks.size() == 2) arm.ranks.pop_back();
  }
  for (GateResult& gate : sample.summary.gates) {
    GateResult none;
    none.spec = gate.spec;
    none.reason = Reason::kMissingRank;
    none.all_reasons = {Reason::kMissingRank, Reason::kTooFewUnits};
    none.why = "rank 1 of 2 did not report";
    none.blocks = 0;
    gate = none;
  }
  return sample;
}

Sample run_with_hostile_names() {
  Sample sample = failed_run();
  const std::string hostile =
      "a|b`*_<script>alert(1)</script>&\"'\x1b[31mred\x07\n# line\xff \xe2\x80\xaegnp]]> @team";
  const std::string longer =
      "an-arm-whose-name-goes-on-and-on-and-on-until-no-table-can-hold-it-\xe6\xb8\xac\xe5\xae\x9a";
  sample.plan.config.name = hostile;
  sample.plan.config.question = "Is " + hostile + " safe in /home/ann/secret/place?";
  const auto rename = [&](std::size_t index, const std::string& name) {
    sample.plan.facts.arms[index].name = name;
    sample.summary.arms[index].name = name;
  };
  rename(1, hostile);
  rename(3, longer);
  sample.gate(0).spec.name = hostile + " against reference";
  sample.gate(2).spec.name = longer + " against " + hostile;
  sample.info.notes = {"The data set lies in /home/ann/data/food-101; see https://example.org/a."};
  sample.info.facts["planted\x1b[2J"] = "<b>slowdown</b> 5%";
  sample.info.distortions = {"CUDA_LAUNCH_BLOCKING=1"};
  sample.summary.warnings = {hostile};
  sample.summary.arms[1].input->slowest.front().file = "/home/ann/secret/" + hostile;
  return sample;
}

namespace {

// Of two buckets, and of one that no step has times of.
void add_exchange(Sample* sample) {
  AllReduceFigures exchange;
  exchange.clock = Clock::kGpu;
  exchange.exposed = Millis(0.5125);
  exchange.buckets = {{0, 1 << 20, 480, Millis(0.0524288), Millis(0.004), Millis(0.0085), Millis(0),
                       Bandwidth{20, 37.5}},
                      {1, 25 << 20, 479, Millis(0.2097152), Millis(20.125), Millis(0.0625),
                       Millis(0.5125), Bandwidth{125, 234.375}}};
  sample->arm("reference").all_reduce = exchange;
  exchange.exposed.reset();
  exchange.buckets = {{0, 40, 0, {}, {}, {}, {}, {}}};
  sample->arm("shipped").all_reduce = exchange;
}

}  // namespace

Sample device_run() {
  Sample sample = passed_run();
  sample.info.world_size = 16;
  for (int rank = 2; rank < 16; ++rank) sample.info.nodes.push_back(rank / 8);
  sample.info.device = "cuda";
  sample.info.exchange = "nccl";
  add_gpu_facts(&sample.info.environment);
  sample.plan.facts.world_size = 16;
  train_on_gpus(&sample);
  add_device_figures(&sample.arm("reference"), 0);
  add_device_figures(&sample.arm("shipped"), 3);
  for (const char* name : {"reference", "shipped"}) {
    ArmSummary& arm = sample.arm(name);
    arm.clock = Clock::kGpu;
    arm.clock_why.clear();
    const auto onto_device = [](StepFigures* figures, double factor) {
      for (auto& [phase, figure] : figures->phases) figure.gpu = *figure.cpu * factor;
      figures->step_gpu = *figures->step_cpu * factor;
    };
    onto_device(&arm.global, 0.99);
    const RankFigures first = arm.ranks.front();
    arm.ranks.clear();
    for (int rank = 0; rank < 16; ++rank) {
      RankFigures figures = first;
      figures.rank = Rank{rank};
      onto_device(&figures.figures, 0.99);
      figures.coverage = "480/480";
      figures.last_at_all_reduce = rank == 11 ? 471 : rank == 3 ? 9 : 0;
      if (rank == 11) {
        figures.figures.phases[Phase::kBackward].gpu = Millis(103.9);
        figures.figures.step_gpu = Millis(180.2);
      }
      arm.ranks.push_back(figures);
    }
  }
  add_exchange(&sample);
  ArmSummary& shipped = sample.arm("shipped");
  shipped.clock = Clock::kCpu;
  shipped.clock_why = "rank 5, step 17, backward has no device time";
  shipped.global.step_gpu.reset();
  shipped.ranks[5].coverage = "479/480";
  sample.gate(1).outside_step =
      "the difference lies outside the step: +1.900 ms (wall per step differs by +1.950 ms, the "
      "step on the cpu clock by +0.050 ms)";
  sample.plan.notes = {"A window has 48 steps: 40 rounded up to the period of 8."};
  sample.summary.stragglers = {{Rank{11}, "reference", 471, 480, true},
                               {Rank{3}, "reference", 9, 480, false}};
  std::vector<std::pair<Rank, Millis>> overhead;
  for (int rank = 0; rank < 16; ++rank)
    overhead.emplace_back(Rank{rank}, Millis(0.03 + 0.01 * rank));
  sample.gate(1).per_rank_difference = overhead;
  sample.info.counters = {{"events_created", 512}, {"events_unresolved", 1}};
  return sample;
}

const std::vector<NamedSample>& all_samples() {
  static const std::vector<NamedSample> kSamples = {{"pass", passed_run},
                                                    {"fail", failed_run},
                                                    {"inconclusive", inconclusive_run},
                                                    {"no_gates", run_without_gates},
                                                    {"missing_rank", run_with_missing_rank},
                                                    {"hostile_names", run_with_hostile_names},
                                                    {"device", device_run},
                                                    {"stored", stored_run},
                                                    {"sweep", swept_run},
                                                    {"sweep_open", open_sweep},
                                                    {"inputs", inputs_run}};
  return kSamples;
}

}  // namespace traceml::testing
