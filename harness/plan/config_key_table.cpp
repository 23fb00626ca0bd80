#include "harness/plan/config_keys.h"

#include <utility>

#include "harness/plan/command_keys.h"
#include "harness/plan/make_config_key.h"
#include "harness/plan/selfcheck_keys.h"
#include "harness/plan/trace_keys.h"
#include "harness/plan/value_forms.h"

namespace traceml {

namespace {

constexpr Millis kMinute{60000};
constexpr Millis kHour{3600000};

ValueForm<Device> device_form() {
  return choice_form<Device>({{"auto", Device::kAuto},
                              {"cpu", Device::kCpu},
                              {"cuda", Device::kCuda},
                              {"fake", Device::kFake}},
                             {});
}

std::vector<ConfigKey> run_keys() {
  using enum KeyScope;
  const auto needed_device =
      choice_form<Device>({{"cpu", Device::kCpu}, {"cuda", Device::kCuda}}, {});
  return {
      make_config_key(
          "name", kRun, identifier_form(), "of the run: names its results folder",
          [](auto& c) -> auto& { return c.name; }),
      make_config_key(
          "question", kRun, line_form(), "what the run shall answer; opens every report",
          [](auto& c) -> auto& { return c.question; }),
      make_config_key(
          "seed", kRun, seed_form(), "of window order, parameters and samples",
          [](auto& c) -> auto& { return c.seed; }),
      make_config_key(
          "require.device", kRun, optional_form("any", needed_device),
          "stop with code 4 unless the run is on this device",
          [](auto& c) -> auto& { return c.require.device; }),
      make_config_key(
          "require.ranks", kRun, optional_form("any", integer_form(1, 65536)),
          "stop with code 4 unless the run has this many ranks",
          [](auto& c) -> auto& { return c.require.ranks; }),
  };
}

// What is trained, and how a step computes it.
std::vector<ConfigKey> network_keys() {
  using enum KeyScope;
  const auto model = choice_form<std::string>({{"resnet18", "resnet18"},
                                               {"resnet34", "resnet34"},
                                               {"resnet50", "resnet50"},
                                               {"resnet101", "resnet101"},
                                               {"resnet152", "resnet152"},
                                               {kSpinModel, kSpinModel}},
                                              {});
  const auto precision = choice_form<Precision>(
      {{"fp32", Precision::kFp32}, {"tf32", Precision::kTf32}, {"bf16", Precision::kBf16}}, {});
  const auto layout = choice_form<MemoryFormat>(
      {{"contiguous", MemoryFormat::kContiguous}, {"channels_last", MemoryFormat::kChannelsLast}},
      {});
  const auto execution =
      choice_form<Execution>({{"eager", Execution::kEager}, {"graph", Execution::kGraph}},
                             {{"compile", "is not in this version yet; use eager or graph"}});
  return {
      make_config_key(
          "workload.model", kArm, model,
          "network, as in torchvision; spin trains nothing and takes known times",
          [](auto& c) -> auto& { return c.workload.model; }),
      make_config_key(
          "workload.classes", kArm, integer_form(2, 100000), "outputs of the last layer",
          [](auto& c) -> auto& { return c.workload.classes; }),
      make_config_key(
          "workload.image_size", kArm, integer_form(8, 4096), "pixels, square",
          [](auto& c) -> auto& { return c.workload.image_size; }),
      make_config_key(
          "workload.batch_size", kArm, integer_form(1, 65536), "images per rank and step",
          [](auto& c) -> auto& { return c.workload.batch_size; }),
      make_config_key(
          "workload.precision", kArm, precision, "of convolutions and matrix products",
          [](auto& c) -> auto& { return c.workload.precision; }),
      make_config_key(
          "workload.memory_format", kArm, layout, "of images and weights",
          [](auto& c) -> auto& { return c.workload.memory_format; }),
      make_config_key(
          "workload.execution", kArm, execution,
          "eager: kernel by kernel; graph: the whole step as one CUDA graph",
          [](auto& c) -> auto& { return c.workload.execution; }),
      make_config_key(
          "workload.cudnn_benchmark", kProcess,
          choice_form<bool>({{"true", true}, {"false", false}}, {}),
          "CUDA: cuDNN times its algorithms for each new shape and keeps the fastest",
          [](auto& c) -> auto& { return c.workload.cudnn_benchmark; }),
      make_config_key(
          "workload.device", kProcess, device_form(), "where the training runs",
          [](auto& c) -> auto& { return c.workload.device; }),
  };
}

// How the parameters are updated and what shares the work.
std::vector<ConfigKey> training_keys() {
  using enum KeyScope;
  const auto exchange =
      choice_form<Exchange>({{"auto", Exchange::kAuto}, {"none", Exchange::kNone}}, {});
  const auto cores = choice_form<Cores>({{"all", Cores::kAll}, {"share", Cores::kShare}}, {});
  return {
      make_config_key(
          "workload.optimizer.lr", kArm, decimal_form(0, 100, true), "learning rate, constant",
          [](auto& c) -> auto& { return c.workload.optimizer.lr; }),
      make_config_key(
          "workload.optimizer.momentum", kArm, decimal_form(0, 1, false), "of SGD",
          [](auto& c) -> auto& { return c.workload.optimizer.momentum; }),
      make_config_key(
          "workload.optimizer.weight_decay", kArm, decimal_form(0, 1, false), "of SGD",
          [](auto& c) -> auto& { return c.workload.optimizer.weight_decay; }),
      make_config_key(
          "workload.exchange", kArm, exchange,
          "of gradients; none: each rank trains alone, so that a step shows no communication",
          [](auto& c) -> auto& { return c.workload.exchange; }),
      make_config_key(
          "workload.bucket_mb", kArm, decimal_form(0, 65536, true),
          "MiB of gradients per all-reduce; the first bucket has 1 MiB",
          [](auto& c) -> auto& { return c.workload.bucket_mb; }),
      make_config_key(
          "workload.threads", kProcess, integer_form(0, 4096),
          "intra-op threads per rank; 0: allowed cores / ranks of the node",
          [](auto& c) -> auto& { return c.workload.threads; }),
      make_config_key(
          "workload.cores", kProcess, cores,
          "share: each rank keeps to its part of those that the launcher left to all",
          [](auto& c) -> auto& { return c.workload.cores; }),
  };
}

// What only the model spin has.
std::vector<ConfigKey> spin_keys() {
  using enum KeyScope;
  const auto clock =
      choice_form<ClockKind>({{"real", ClockKind::kReal}, {"virtual", ClockKind::kVirtual}}, {});
  const auto noise = margin_form();
  std::vector<ConfigKey> keys;
  for (const Phase phase : kAllPhases) {
    if (phase == Phase::kTraced) continue;
    const std::string path = "workload.phases_ms." + std::string(name_of(phase));
    keys.push_back(make_config_key(
        path.c_str(), kArm, decimal_form(0, 60000, false),
        "spin: the phase's time in a step", [i = index_of(phase)](auto& c) -> auto& {
          return c.workload.phases_ms[i];
        }));
  }
  keys.push_back(make_config_key(
      "workload.loader_ms.read", kArm, decimal_form(0, 60000, false),
      "spin: a simulated worker's time to read a sample; with these three 0 there is no loader",
      [](auto& c) -> auto& { return c.workload.loader_ms.read_ms; }));
  keys.push_back(make_config_key(
      "workload.loader_ms.decode", kArm, decimal_form(0, 60000, false), "spin: to decode it",
      [](auto& c) -> auto& { return c.workload.loader_ms.decode_ms; }));
  keys.push_back(make_config_key(
      "workload.loader_ms.resize", kArm, decimal_form(0, 60000, false),
      "spin: to resize, flip and normalise it",
      [](auto& c) -> auto& { return c.workload.loader_ms.resize_ms; }));
  keys.push_back(make_config_key(
      "workload.loader_ms.slow_file", kArm, decimal_form(0, 60000, false),
      "spin: more, to decode one file of 64",
      [](auto& c) -> auto& { return c.workload.loader_ms.slow_file_ms; }));
  keys.push_back(make_config_key(
      "workload.allreduce_ms", kArm, decimal_form(0, 60000, false),
      "spin: the all-reduce, from the last rank's arrival on",
      [](auto& c) -> auto& { return c.workload.allreduce_ms; }));
  keys.push_back(make_config_key(
      "workload.noise", kArm, noise, "spin: standard deviation of each phase and of each window",
      [](auto& c) -> auto& { return c.workload.noise; }));
  keys.push_back(make_config_key(
      "workload.clock", kProcess, clock, "spin: virtual simulates time, real busy-waits",
      [](auto& c) -> auto& { return c.workload.clock; }));
  return keys;
}

std::vector<ConfigKey> input_keys() {
  using enum KeyScope;
  const auto source =
      choice_form<Source>({{"dataset", Source::kDataset}, {"synthetic", Source::kSynthetic}}, {});
  const auto scheduling = choice_form<Scheduling>(
      {{"per_sample", Scheduling::kPerSample}, {"per_batch", Scheduling::kPerBatch}}, {});
  const auto dtype = choice_form<SampleType>(
      {{"uint8", SampleType::kUint8}, {"float32", SampleType::kFloat32}}, {});
  const auto on_error =
      choice_form<OnError>({{"stop", OnError::kStop}, {"replace", OnError::kReplace}}, {});
  const auto scaled =
      choice_form<ScaledDecode>({{"off", ScaledDecode::kOff}, {"auto", ScaledDecode::kAuto}}, {});
  const auto cache = choice_form<Cache>({{"warm", Cache::kWarm}, {"cold", Cache::kCold}}, {});
  return {
      make_config_key(
          "input.source", kArm, source, "JPEG files, or one batch held in memory",
          [](auto& c) -> auto& { return c.input.source; }),
      make_config_key(
          "input.dataset", kArm, line_form(),
          "folder, or a CSV list of path,label; a relative one starts at the config file",
          [](auto& c) -> auto& { return c.input.dataset; }),
      make_config_key(
          "input.workers", kArm, integer_form(0, 256),
          "decoding threads per rank; 0 decodes on the training thread",
          [](auto& c) -> auto& { return c.input.workers; }),
      make_config_key(
          "input.scheduling", kArm, scheduling,
          "what a worker makes at a time; per_batch stalls every `workers` steps",
          [](auto& c) -> auto& { return c.input.scheduling; }),
      make_config_key(
          "input.prefetch", kArm, integer_form(1, 1024),
          "batches held ready per rank; per_batch: per worker",
          [](auto& c) -> auto& { return c.input.prefetch; }),
      make_config_key(
          "input.dtype", kArm, dtype, "of the images that the loader delivers",
          [](auto& c) -> auto& { return c.input.dtype; }),
      make_config_key(
          "input.on_error", kArm, on_error, "at a file that cannot be decoded",
          [](auto& c) -> auto& { return c.input.on_error; }),
      make_config_key(
          "input.scaled_decode", kArm, scaled,
          "auto decodes crops of images over 512 px at 1/2, 1/4 or 1/8 where enough pixels are "
          "left",
          [](auto& c) -> auto& { return c.input.scaled_decode; }),
      make_config_key(
          "input.cache", kArm, cache,
          "warm reads the data set once before warm-up; cold drops each file before it is read",
          [](auto& c) -> auto& { return c.input.cache; }),
  };
}

// How batches get to a GPU, or are decoded there.
std::vector<ConfigKey> device_input_keys() {
  using enum KeyScope;
  const auto copy = choice_form<Copy>({{"async", Copy::kAsync}, {"blocking", Copy::kBlocking}}, {});
  const auto decode = choice_form<Decode>(
      {{"cpu", Decode::kCpu}, {"gpu", Decode::kGpu}, {"gpu_naive", Decode::kGpuNaive}}, {});
  return {
      make_config_key(
          "input.pinned", kArm, choice_form<bool>({{"true", true}, {"false", false}}, {}),
          "CUDA: batches wait in page-locked host memory",
          [](auto& c) -> auto& { return c.input.pinned; }),
      make_config_key(
          "input.pin_copy", kArm, choice_form<bool>({{"true", true}, {"false", false}}, {}),
          "CUDA: a thread copies finished batches into page-locked memory, as PyTorch's DataLoader "
          "does; false makes them there",
          [](auto& c) -> auto& { return c.input.pin_copy; }),
      make_config_key(
          "input.copy", kArm, copy,
          "CUDA: async copies the next batch beside the step; blocking waits for each copy",
          [](auto& c) -> auto& { return c.input.copy; }),
      make_config_key(
          "input.decode", kArm, decode,
          "gpu: the workers decode with nvJPEG; gpu_naive: they read, the training thread decodes",
          [](auto& c) -> auto& { return c.input.decode; }),
      make_config_key(
          "input.hardware_share", kArm, optional_form("auto", decimal_form(0, 1, false)),
          "decode: gpu: part of the images that a GPU's JPEG engines decode",
          [](auto& c) -> auto& { return c.input.hardware_share; }),
  };
}

ValueForm<Instrument> instrument_form() {
  return choice_form<Instrument>({{"none", Instrument::kNone},
                                  {"host", Instrument::kHost},
                                  {"events", Instrument::kEvents},
                                  {"cupti", Instrument::kCupti}},
                                 {});
}

std::vector<ConfigKey> measure_keys() {
  using enum KeyScope;
  const auto yes = choice_form<bool>({{"true", true}, {"false", false}}, {});
  const auto launches =
      choice_form<int>({{"1", 1}, {"6", 6}, {"10", 10}, {"14", 14}, {"20", 20}}, {});
  return {
      make_config_key(
          "measure.warmup_steps", kRun, optional_form("auto", integer_form(0, 1000000)),
          "per arm, before the first window; auto: 16, or two periods",
          [](auto& c) -> auto& { return c.measure.warmup_steps; }),
      make_config_key(
          "measure.steps", kRun, optional_form("auto", integer_form(1, 1000000)),
          "timed steps per window; auto: 48, rounded up to the period",
          [](auto& c) -> auto& { return c.measure.steps; }),
      make_config_key(
          "measure.period", kRun, optional_form("auto", integer_form(1, 10000)),
          "stall period in steps; auto: from the loaders of the arms",
          [](auto& c) -> auto& { return c.measure.period; }),
      make_config_key(
          "measure.instrument", kArm, instrument_form(),
          "none: no hooks; host: host clock; events: both clocks; cupti: and every activity",
          [](auto& c) -> auto& { return c.measure.instrument; }),
      make_config_key(
          "measure.step_timeout", kRun, seconds_form(Millis(100), 24 * kHour),
          "a rank that makes no step for so long ends the run",
          [](auto& c) -> auto& { return c.measure.step_timeout; }),
      make_config_key(
          "measure.time_limit", kRun, seconds_form(Millis(1000), 168 * kHour),
          "of a whole run; a run that takes longer ends with code 4, its windows kept",
          [](auto& c) -> auto& { return c.measure.time_limit; }),
      make_config_key(
          "measure.max_blocks", kRun, integer_form(6, 1000),
          "last look: 6 | 10 | 14 | 20; each block runs every arm once",
          [](auto& c) -> auto& { return c.measure.max_blocks; }),
      make_config_key(
          "measure.until_verdict", kRun, yes,
          "true: a look after every second block, up to any even max_blocks",
          [](auto& c) -> auto& { return c.measure.until_verdict; }),
      make_config_key(
          "measure.launches", kRun, launches,
          "judged together by `launch`, the launch as the unit; 1: the run is judged alone",
          [](auto& c) -> auto& { return c.measure.launches; }),
      make_config_key(
          "measure.launch_blocks", kRun, integer_form(4, 1000),
          "blocks of each of several launches, even; all are run",
          [](auto& c) -> auto& { return c.measure.launch_blocks; }),
      make_config_key(
          "measure.launch", kRun, integer_form(0, 40),
          "which of several launches this is; `launch` sets it. 0: none",
          [](auto& c) -> auto& { return c.measure.launch; }),
      make_config_key(
          "measure.device_drain", kRun, millis_form(Millis(0), kMinute),
          "how long device marks may be late after a window",
          [](auto& c) -> auto& { return c.measure.device_drain; }),
  };
}

std::vector<ConfigKey> plant_keys() {
  ConfigKey plant = make_config_key(
      "plant", KeyScope::kArm, plants_form(),
      "planted faults; those of an arm replace those at the top",
      [](auto& c) -> auto& { return c.plants; });
  plant.list = true;
  return {plant};
}

}  // namespace

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> keys = [] {
    std::vector<ConfigKey> all;
    for (auto make : {run_keys, network_keys, training_keys, spin_keys, input_keys,
                      device_input_keys, measure_keys, selfcheck_keys, command_measure_keys,
                      trace_keys, plant_keys, command_keys}) {
      for (ConfigKey& key : make()) all.push_back(std::move(key));
    }
    return all;
  }();
  return keys;
}

}  // namespace traceml
