#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace traceml {

struct RunArguments {
  std::string config;
  std::vector<std::string> overrides;  // "--set a.b=c"
  std::string out;                     // empty: results/<name>-<time>
  std::string scratch;                 // of each node, for raw files while they grow; may be empty
  bool quiet = false;
  bool require_gates = false;
};

struct LaunchArguments {
  std::string config;
  std::vector<std::string> overrides;
  std::string out;      // as of run; a folder of launches is gone on with
  std::string scratch;  // as of run
  bool quiet = false;
  bool require_gates = false;
  int ranks = 1;
  std::optional<int> launches;  // at most; nullopt: measure.launches, or 6
  // Another build of this tool, held against this one by pairs of launches; empty: none.
  std::string candidate_binary;
  std::string arm;                    // that is judged then; empty: the only one
  std::string max_regression = "2%";  // its margin
  std::string launcher;               // "mpirun", "srun"; empty: srun inside a Slurm allocation
  std::string launcher_arguments;     // separated by spaces
};

struct SelfcheckArguments {
  LaunchArguments launch;  // how its runs are started; `launches` stays unset
  int runs = 20;
  std::string arm;                                   // empty: arm_to_check() of the config
  std::vector<double> plants;                        // slowdowns, as shares of forward and backward
  std::vector<double> effects = {0.01, 0.02, 0.05};  // whose budget is wanted
};

struct ReportArguments {
  std::string run_dir;
  bool accept_edited = false;
  bool quiet = false;
  bool tidy = false;    // also tidy.csv
  bool github = false;  // also annotations and the step's summary
};

struct CheckArguments {
  bool keys = false;  // print the key reference; config is empty then
  std::string config;
  std::vector<std::string> overrides;
  int ranks = 1;
  std::optional<int> launches;    // judged together
  std::optional<double> step_ms;  // for the time estimate
};

struct CompareArguments {
  std::vector<std::string> baseline;   // run.json or final_summary.json, one a launch
  std::vector<std::string> candidate;  // the same
  std::string arm;                     // of a run.json; empty: its only one
  std::string max_regression = "2%";
  std::string html;  // file to write the page to; empty: none
  bool quiet = false;
};

struct DatagenArguments {
  std::string dir;
  int classes = 101;
  int images = 1000;               // to train on
  std::optional<int> test_images;  // a third of them otherwise
  int long_side = 512;
  std::uint64_t seed = 0;
};

struct InitArguments {
  std::string dataset;  // empty: none yet
  std::string out = "first.yaml";
};

struct DoctorArguments {
  std::string dataset;       // empty: none looked at
  bool collectives = false;  // by all ranks: try the all-reduce
};

struct ExplainArguments {
  std::vector<std::string> traces;    // one a rank, or the folder of a run
  std::optional<std::int64_t> cycle;  // of such a folder; nullopt: the first
  std::vector<int> ranks;             // of the traces, in their order; empty: as the files tell
  std::string selection;              // "whole", "steps", "hta"; empty: steps where there are any
  std::optional<double> long_gap_ms;  // gaps of at least that are listed
  std::optional<int> rows;            // of each list
  std::string json;                   // file to write; empty: none
  std::string html;                   // file to write the page to; empty: none
  std::string against;                // an earlier trace, or run, to compare with; empty: none
};

enum class BaselineAction { kAdd, kList, kPin, kShow, kJudge };

struct BaselineArguments {
  BaselineAction action = BaselineAction::kList;
  std::string dir;                    // the store
  std::string run_dir;                // add: the folder of a launch
  std::vector<int> campaigns;         // pin: numbers
  std::vector<std::string> run_dirs;  // judge: folders of launches, one a campaign
};

struct HistoryArguments {
  std::vector<std::string> folders;
  std::string anchor;  // empty: the first run of each series
  std::string html;    // file to write the page to; empty: none
  bool json = false;
  bool fail_on_creep = false;
};

// Exactly one is set; text is what --help or --version prints.
struct CommandLine {
  std::optional<RunArguments> run;
  std::optional<LaunchArguments> launch;
  std::optional<SelfcheckArguments> selfcheck;
  std::optional<ReportArguments> report;
  std::optional<CheckArguments> check;
  std::optional<CompareArguments> compare;
  std::optional<BaselineArguments> baseline;
  std::optional<HistoryArguments> history;
  std::optional<InitArguments> init;
  std::optional<DatagenArguments> datagen;
  std::optional<DoctorArguments> doctor;
  std::optional<ExplainArguments> explain;
  std::optional<std::string> text;
};

// args without the program's name. `traceml-bench CONFIG ...` means `run CONFIG ...`. Throws
// UsageError.
CommandLine parse_command_line(std::vector<std::string> args);

}  // namespace traceml
