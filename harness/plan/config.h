#pragma once
// A config file after reading: every key with its default filled in, every arm fully resolved. Pure
// data. The names of the keys, their forms, defaults and help texts are in config_keys.h, one table
// for all rooms.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/campaign.h"
#include "harness/core/phase.h"
#include "harness/core/units.h"
#include "harness/plan/plants.h"

namespace traceml {

inline constexpr std::size_t kMaxArms = 64;  // hidden ones not counted
inline constexpr std::size_t kMaxGates = 256;

enum class Device { kAuto, kCpu, kCuda, kFake };
enum class ClockKind { kReal, kVirtual };
enum class Precision { kFp32, kTf32, kBf16 };
enum class MemoryFormat { kContiguous, kChannelsLast };
enum class Execution { kEager, kGraph };
enum class Exchange { kAuto, kNone };  // of gradients between ranks; none: each trains alone
enum class Cores { kAll, kShare };     // of those that the launcher left to the ranks of a node
enum class Source { kDataset, kSynthetic };
enum class SampleType { kUint8, kFloat32 };
enum class Scheduling { kPerSample, kPerBatch };
enum class OnError { kStop, kReplace };
enum class Cache { kWarm, kCold };
enum class ScaledDecode { kOff, kAuto };  // of images that are far larger than what is made of them
enum class Decode { kCpu, kGpu, kGpuNaive };  // naive: on the training thread, image by image
enum class Copy { kAsync, kBlocking };        // of batches to the device
enum class LargerIs { kWorse, kBetter };      // of a command's number

struct OptimizerConfig {
  double lr = 0.01;
  double momentum = 0.9;
  double weight_decay = 0.0;
  friend bool operator==(const OptimizerConfig&, const OptimizerConfig&) = default;
};

// What the simulated loader of spin spends on a sample; none of it: spin has no loader.
struct LoaderTimes {
  double read_ms = 0;
  double decode_ms = 0;
  double resize_ms = 0;
  double slow_file_ms = 0;  // more, to decode one file of 64

  bool any() const { return read_ms > 0 || decode_ms > 0 || resize_ms > 0; }
  friend bool operator==(const LoaderTimes&, const LoaderTimes&) = default;
};

// The model that trains nothing: known costs and planted faults.
inline constexpr const char* kSpinModel = "spin";

struct WorkloadConfig {
  std::string model = "resnet50";  // resnet18 | 34 | 50 | 101 | 152, or spin
  int classes = 101;
  int image_size = 224;  // pixels, square
  int batch_size = 128;  // images per rank and step
  Precision precision = Precision::kFp32;
  MemoryFormat memory_format = MemoryFormat::kChannelsLast;
  Execution execution = Execution::kEager;
  bool cudnn_benchmark = true;  // cuDNN times its algorithms for each new shape
  Device device = Device::kAuto;
  OptimizerConfig optimizer;
  Exchange exchange = Exchange::kAuto;
  double bucket_mb = 25;  // MiB of gradients per all-reduce; the first bucket has 1 MiB
  int threads = 0;  // intra-op threads per rank; 0: allowed cores / ranks of this node, at least 1
  Cores cores = Cores::kAll;
  // Of spin alone: how long each phase takes, by index_of(); 0 and not needed: it does not occur.
  std::array<double, kPhaseCount> phases_ms = {0.2, 0, 0.1, 0, 1.5, 0, 2.5, 0.5, 0};
  LoaderTimes loader_ms;
  double allreduce_ms = 0.4;  // from the last rank's arrival on
  double noise = 0;           // sd of each phase of a step, and of each window, as a fraction
  ClockKind clock = ClockKind::kReal;

  bool spins() const { return model == kSpinModel; }
  friend bool operator==(const WorkloadConfig&, const WorkloadConfig&) = default;
};

struct InputConfig {
  Source source = Source::kDataset;
  std::string dataset;  // as reports may show it: as written, the last part of an absolute path
  std::string
      dataset_path;  // the folder or list to read; empty in a config read back from a run's files
  int workers = 4;   // decode threads per rank; 0 decodes on the training thread
  Scheduling scheduling = Scheduling::kPerSample;
  int prefetch = 2;  // ready batches: in total with per_sample, per worker with per_batch
  SampleType dtype = SampleType::kUint8;
  OnError on_error = OnError::kStop;
  ScaledDecode scaled_decode = ScaledDecode::kOff;
  Cache cache = Cache::kWarm;
  bool pinned = true;     // batches wait in page-locked memory; of device runs alone, as copy
  bool pin_copy = false;  // a thread copies finished batches into page-locked memory
  Copy copy = Copy::kAsync;
  Decode decode = Decode::kCpu;
  std::optional<double> hardware_share;  // of JPEGs, to a GPU's engines; nullopt: chosen
  friend bool operator==(const InputConfig&, const InputConfig&) = default;
};

struct MeasureConfig {
  std::optional<int> warmup_steps;  // nullopt: max(2 p, 16), rounded up to a multiple of p
  std::optional<int> steps;         // per window; nullopt: ceil(48 / p) * p
  std::optional<int> period;        // nullopt: auto, from the loaders of the arms
  Instrument instrument = Instrument::kEvents;
  Seconds step_timeout{60};
  Seconds time_limit{1200};
  int max_blocks = 20;  // 6 | 10 | 14 | 20; with until_verdict any even number from 6 on
  bool until_verdict = false;
  int launches = 1;        // judged together: 6 | 10 | 14 | 20; 1: the run is judged alone
  int launch_blocks = 4;   // of each of several launches; even
  int launch = 0;          // which of them this run is, from 1; 0: none
  std::string equal_arms;  // two equal copies of this arm alone; empty: arms as written
  std::vector<double> equal_plants;      // beside them, copies that are slower by so much
  std::string noise_profile;             // as reports may show it; empty: none
  std::string noise_profile_path;        // the file; empty in a config read back from a run's files
  std::optional<double> interaction_sd;  // launch x arm, out of noise_profile; nullopt: 0.3 %
  Millis device_drain{2000};  // how long unresolved device marks are queried after a window
  // Of commands alone.
  int warmup_launches = 1;          // of each arm, before the first block; not judged
  Seconds launch_timeout{3600};     // a launch that lasts longer is ended, and the run with it
  std::optional<std::string> unit;  // of the number; nullopt: s for the wall time, else ms
  LargerIs larger_is = LargerIs::kWorse;
  friend bool operator==(const MeasureConfig&, const MeasureConfig&) = default;
};

// An arm that is a command: whole launches of any program, one number taken from each.
struct CommandConfig {
  std::vector<std::string> words;        // program and arguments; empty: the arm is no command
  std::string working_directory;         // as written; a relative one starts at the config file
  std::string working_path;              // resolved; empty in a config read back from a run's files
  std::vector<std::string> environment;  // "NAME=value", added to the environment of the launch
  std::vector<std::string> exit_codes = {"0"};  // of a launch that counts; any other voids it
  // Where the number is; exactly one is given. A relative file starts at the working directory.
  std::string regex;          // one group; of standard output, else of standard error
  std::string json;           // "FILE#/pointer"
  std::string final_summary;  // "FILE" or "FILE#host": host clock; "FILE#device"
  std::string steps_csv;      // "FILE#column"
  bool wall = false;          // from start to end of the process, in seconds
  friend bool operator==(const CommandConfig&, const CommandConfig&) = default;
};

struct ArmConfig {
  std::string name;
  CommandConfig command;
  WorkloadConfig workload;
  InputConfig input;
  Instrument instrument = Instrument::kEvents;
  std::vector<Plant> plants;         // those of the top, or its own in their place
  std::set<std::string> overridden;  // the keys that this arm sets itself: "input.workers"
  bool hidden = false;
  bool of_sweep = false;  // a setting or a reference of the sweep, which make_plan() adds
  friend bool operator==(const ArmConfig&, const ArmConfig&) = default;
};

// Settings of one arm, of which the cheapest is sought that is as fast as the best.
struct SweepConfig {
  std::string arm;                  // empty: no sweep
  std::vector<std::string> keys;    // what the settings set, as written: "input.workers"
  std::vector<ArmConfig> settings;  // as written; of a grid the last key changes first
  double margin = 0.01;
  std::string where;  // "sweep.yaml:31:5", for messages
  // The swept arm while its settings stand in its place: make_plan() runs it only where a gate
  // names it.
  std::optional<ArmConfig> replaced;
  std::size_t replaced_at = 0;  // its place among the arms as written
  friend bool operator==(const SweepConfig&, const SweepConfig&) = default;
};

struct GateConfig {
  GateKind kind = GateKind::kMaxRegression;
  std::string candidate;  // arm; of an overhead gate the arm named by `on`
  std::string baseline;   // arm; empty in an overhead gate
  double delta = 0.02;
  std::optional<double> min_fraction;
  std::optional<Instrument> overhead_of;  // max_overhead gates
  bool inconclusive_passes = false;
  bool inconclusive_fails = false;  // written, not left out
  std::optional<int> escalate_after;
  // Held against stored campaigns; `baseline` is empty then.
  std::string stored;                      // the store, as reports may show it; empty: none
  std::string stored_path;                 // its folder; of a config read back not to be used
  std::vector<std::string> treatment;      // software that may differ
  std::optional<double> reference_margin;  // nullopt: 8 %
  bool confirm_on_fail = false;            // a failure is measured again
  std::string where;                       // "quickstart.yaml:31:5", for messages
  friend bool operator==(const GateConfig&, const GateConfig&) = default;
};

struct RequireConfig {
  std::optional<Device> device;
  std::optional<int> ranks;
  friend bool operator==(const RequireConfig&, const RequireConfig&) = default;
};

// A few steps of one arm after all that is measured, of which every activity is kept. As
// torch.profiler's schedule: skip_first, then `repeat` cycles of wait, warmup and active.
struct TraceConfig {
  int skip_first = 0;
  int wait = 0;
  int warmup = 2;
  int active = 0;  // 0: nothing is traced
  int repeat = 1;
  bool operators = false;  // those of libtorch, too
  std::string arm;         // empty: the first gate's candidate, else the first that is no reference
  friend bool operator==(const TraceConfig&, const TraceConfig&) = default;
};

struct Config {
  std::string name = "traceml-bench";
  std::string question;
  std::uint64_t seed = 0;
  RequireConfig require;
  WorkloadConfig workload;
  InputConfig input;
  MeasureConfig measure;
  TraceConfig trace;
  std::vector<Plant> plants;
  CommandConfig command;
  std::vector<ArmConfig> arms;  // as written, then those of the sweep, then hidden ones
  std::vector<GateConfig> gates;
  SweepConfig sweep;
  // Where keys were written, "measure.steps" -> "quickstart.yaml:9:3", and arms, "arms.shipped"; ""
  // is the file. For messages.
  std::map<std::string, std::string> places;
  friend bool operator==(const Config&, const Config&) = default;
};

}  // namespace traceml
