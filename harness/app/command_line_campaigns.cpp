#include "harness/app/command_line_options.h"

namespace traceml {
namespace {

// How `launch` and `selfcheck` start ranks.
void add_ranks(CLI::App* command, LaunchArguments& launch, const char* ranks_help) {
  add_scratch(command, &launch.scratch);
  add_value(command, "-n,--ranks", &launch.ranks, integer_form(1, 1 << 20), ranks_help)
      ->type_name("N");
}

void add_launcher(CLI::App* command, LaunchArguments& launch) {
  const auto launcher = choice_form<std::string>({{"mpirun", "mpirun"}, {"srun", "srun"}}, {});
  add_value(command, "--launcher", &launch.launcher, launcher,
            "mpirun or srun (default: srun inside a Slurm job)")
      ->type_name("NAME");
  command
      ->add_option("--mpirun-args", launch.launcher_arguments,
                   "more words for it: --mpirun-args='--map-by node'")
      ->type_name("TEXT");
}

CLI::App* add_baseline_action(CLI::App* command, BaselineArguments& baseline, BaselineAction action,
                              const char* name, const char* help) {
  CLI::App* one = command->add_subcommand(name, help);
  one->add_option("dir", baseline.dir, "store of campaigns")
      ->required()
      ->check(not_empty)
      ->type_name("DIR");
  one->parse_complete_callback([&baseline, action] { baseline.action = action; });
  return one;
}

}  // namespace

void add_launch(CLI::App& app, LaunchArguments& launch) {
  CLI::App* command =
      app.add_subcommand("launch", "start several launches with mpirun or srun, judge them as one");
  add_measuring(command, launch, "folder for the results; launches that it holds are counted");
  add_ranks(command, launch, "ranks of each launch (default 1)");
  add_value(command, "--launches", &launch.launches, launches_form(),
            "at most so many: 6, 10, 14 or 20 (default measure.launches, or 6)")
      ->type_name("N");
  add_launcher(command, launch);
  command
      ->add_option("--candidate-binary", launch.candidate_binary,
                   "another build of traceml-bench: judge it against this one by pairs of launches")
      ->check(not_empty)
      ->type_name("FILE");
  command->add_option("--arm", launch.arm, "with it: the arm whose wall per step is judged")
      ->type_name("NAME");
  command->add_option("--max-regression", launch.max_regression, "with it: margin, with its unit")
      ->type_name("PERCENT")
      ->capture_default_str();
}

void add_selfcheck(CLI::App& app, SelfcheckArguments& check) {
  CLI::App* command = app.add_subcommand(
      "selfcheck", "run two equal arms again and again: false claims, noise, what can be seen");
  add_config(command, check.launch);
  command
      ->add_option("--out", check.launch.out,
                   "folder for the results; runs that it holds are counted")
      ->check(not_empty)
      ->type_name("DIR");
  command->add_flag("--quiet", check.launch.quiet, "print the last line alone");
  add_ranks(command, check.launch, "ranks of each run (default 1)");
  add_value(command, "--runs", &check.runs, integer_form(1, 1000), "runs (default 20)")
      ->type_name("N");
  command->add_option("--arm", check.arm, "whose copies (default: what the first gate judges)")
      ->type_name("NAME");
  add_value(command, "--plant", &check.plants, margins_form(),
            "slowdowns of forward and backward to be found: 3%,5%")
      ->type_name("PERCENT");
  add_value(command, "--effect", &check.effects, margins_form(),
            "effects whose budget is wanted (default 1%, 2%, 5%)")
      ->type_name("PERCENT");
  add_launcher(command, check.launch);
}

void add_baseline(CLI::App& app, BaselineArguments& baseline) {
  CLI::App* command =
      app.add_subcommand("baseline", "keep campaigns of launches, to hold later ones against them");
  command->require_subcommand(1);
  add_baseline_action(command, baseline, BaselineAction::kAdd, "add",
                      "store a campaign; what is pinned stays pinned")
      ->add_option("run_dir", baseline.run_dir, "folder of a traceml-bench launch")
      ->required()
      ->check(not_empty)
      ->type_name("RUN_DIR");
  add_baseline_action(command, baseline, BaselineAction::kList, "list",
                      "every campaign and every pin");
  CLI::App* pin = add_baseline_action(command, baseline, BaselineAction::kPin, "pin",
                                      "from now on these campaigns are the baseline");
  const CLI::callback_t read = [&baseline](const CLI::results_t& texts) {
    for (const std::string& text : texts) {
      const Reading<int> number = integer_form(1, 999'999'999).read(text);
      if (!number.value) throw UsageError("CAMPAIGN " + number.fault);
      baseline.campaigns.push_back(*number.value);
    }
    return true;
  };
  pin->add_option("campaigns", read, "their numbers, five or more")
      ->required()
      ->expected(1, 1 << 20)
      ->allow_extra_args()
      ->type_name("CAMPAIGN");
  add_baseline_action(command, baseline, BaselineAction::kShow, "show",
                      "fingerprint and spread of the pinned campaigns, and what they can see");
  add_baseline_action(command, baseline, BaselineAction::kJudge, "judge",
                      "hold one campaign or several together against the pinned ones")
      ->add_option("run_dirs", baseline.run_dirs, "folders of traceml-bench launch, one a campaign")
      ->required()
      ->expected(1, 1 << 20)
      ->type_name("RUN_DIR...");
}

}  // namespace traceml
