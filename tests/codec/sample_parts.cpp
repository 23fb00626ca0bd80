#include "tests/codec/sample_parts.h"

#include <cmath>

#include "harness/analysis/input_diagnosis.h"

namespace traceml::testing {
namespace {

StepFigures figures_of(const ArmTimes& times, double factor) {
  StepFigures figures;
  const auto add = [&](Phase phase, double value) {
    figures.phases[phase].cpu = Millis(value * factor);
  };
  add(Phase::kInputWait, times.input_wait);
  add(Phase::kH2d, times.h2d);
  add(Phase::kNormalize, times.normalize);
  add(Phase::kForward, times.forward);
  add(Phase::kLoss, times.loss);
  add(Phase::kBackward, times.backward);
  add(Phase::kOptimizer, times.optimizer);
  const double compute = times.forward + times.loss + times.backward + times.optimizer;
  const double residual = 0.21;
  const double traced = times.h2d + times.normalize + compute + residual;
  add(Phase::kTraced, traced);
  figures.compute = Millis(compute * factor);
  figures.residual = Millis(residual * factor);
  figures.step_cpu = Millis((times.input_wait + traced) * factor);
  figures.outside = Millis(times.outside);
  return figures;
}

}  // namespace

Distribution around(double mean) {
  return {480,
          Millis(mean),
          Millis(mean * 0.997),
          Millis(mean * 0.962),
          Millis(mean * 1.049),
          Millis(mean * 1.118),
          Millis(mean * 0.951),
          Millis(mean * 1.304)};
}

std::vector<WindowWall> windows_around(double mean) {
  std::vector<WindowWall> walls;
  for (int block = 0; block < 10; ++block) {
    walls.push_back({block, 48, Millis(mean * (1 + 0.002 * (block * 7 % 10 - 4.5)))});
  }
  return walls;
}

ArmSummary instrumented_arm(int index, const std::string& name, const ArmTimes& times,
                            double global_batch) {
  ArmSummary arm;
  arm.arm = ArmIndex{index};
  arm.name = name;
  arm.instrumented = true;
  arm.windows = 10;
  arm.wall_per_step = Millis(times.wall);
  arm.images_per_s = global_batch / times.wall * 1000;
  arm.clock = Clock::kCpu;
  arm.clock_why = "no device clock";
  arm.global = figures_of(times, 1);
  for (int rank = 0; rank < 2; ++rank) {
    RankFigures figures;
    figures.rank = Rank{rank};
    figures.wall_per_step = Millis(times.wall - 0.05 * rank);
    figures.figures = figures_of(times, rank == 0 ? 1.002 : 0.998);
    figures.coverage = "0/480";
    figures.last_at_all_reduce = rank == 0 ? 250 : 230;
    figures.all_reduce_steps = 480;
    arm.ranks.push_back(figures);
  }
  arm.step_distribution = around(times.wall - times.outside);
  arm.window_distribution = around(times.wall);
  arm.window_walls = windows_around(times.wall);
  arm.first_batch = Millis(times.input_wait + 31.2);
  arm.first_step = Millis(2.5 * times.wall);
  arm.loss_first = 4.6154;
  arm.loss_last = 4.2017;
  return arm;
}

ArmFacts arm_facts(const std::string& name, Instrument instrument, bool input_free) {
  ArmFacts facts;
  facts.name = name;
  facts.instrument = instrument;
  facts.global_batch = 16;
  facts.input_free = input_free;
  facts.queue_capacity = input_free ? 0 : 2;
  facts.hidden = instrument == Instrument::kNone;
  if (!input_free) facts.reference = ArmIndex{0};
  facts.settings = {{"input.source", input_free ? "synthetic" : "dataset"},
                    {"input.workers", "2"},
                    {"input.dataset", "/home/ann/data/food-101"}};
  return facts;
}

InputSummary input_of_arm(int workers, const ArmTimes& times) {
  const Millis step(times.wall);
  InputSummary input;
  input.workers = workers;
  input.batch = 8;
  InputFigures& mean = input.mean;
  mean.batches = 960;
  mean.read = Millis(0.042);
  mean.decode = Millis(0.815);
  mean.resize = Millis(0.114);
  mean.cpu = Millis(0.952);
  mean.worker_wait = Millis(times.input_wait);
  mean.exposed_copy = Millis(0.004);
  mean.step = step;
  if (workers > 0) {
    mean.slot_wait = workers * step - mean.sample() * 8;
    mean.utilisation = mean.sample() * 8 / (workers * step);
    mean.queue_mean = 1.62;
    mean.queue_min = 0;
    mean.queue_empty = 0.021;
    mean.queue_quarters = {1.7, 1.6, 1.6, 1.58};
    mean.queue_shrink = 1;
    input.supply = 8 * workers / Seconds(mean.sample() * 8).count();
  }
  input.ranks = {{Rank{0}, mean}, {Rank{1}, mean}};
  input.usual_sample = Millis(0.93);
  input.slowest = {{"images/waffles/1045.jpg", Millis(4.127), 19, 4.44},
                   {"images/apple_pie/17.jpg", Millis(2.31), 7, 2.48}};
  input.demand = 8 / Seconds(Millis(171.62)).count();
  input.demand_of = "reference";
  InputEvidence evidence;
  evidence.figures = mean;
  evidence.workers = workers;
  evidence.batch = input.batch;
  evidence.queue_capacity = workers > 0 ? 2 : 0;
  evidence.steps_per_window = 48;
  evidence.demand = Millis(171.62);
  evidence.demand_of = input.demand_of;
  input.diagnosis = diagnose_input(evidence);
  input.diagnosis.rank = Rank{1};
  return input;
}

GateSpec gate_spec(const std::string& name, GateKind kind, int candidate, int baseline) {
  GateSpec spec;
  spec.name = name;
  spec.kind = kind;
  spec.candidate = ArmIndex{candidate};
  spec.baseline = ArmIndex{baseline};
  return spec;
}

GateResult gate_from(const GateSpec& spec, Outcome outcome, double theta, double half_width) {
  GateResult gate;
  gate.spec = spec;
  gate.outcome = outcome;
  gate.theta = theta;
  gate.interval = Interval{theta - half_width, theta + half_width};
  gate.interval_90 = Interval{theta - half_width / 2, theta + half_width / 2};
  gate.direction = theta - half_width > 0   ? Direction::kSlower
                   : theta + half_width < 0 ? Direction::kFaster
                                            : Direction::kUnresolved;
  gate.order_effect = 0.0002;
  gate.pair_sd = half_width / 1.1;
  gate.p_regression = 0.4;
  gate.hodges_lehmann = theta + 0.0003;
  gate.hodges_lehmann_interval = gate.interval;
  gate.minimum_detectable = half_width * 1.3;
  gate.unseen_fraction = 0.2589;
  gate.blocks = 10;
  gate.look = 10;
  gate.mean_difference = Millis(171.62 * std::expm1(theta));
  return gate;
}

}  // namespace traceml::testing
