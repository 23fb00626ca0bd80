#include "harness/app/command_line.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "harness/app/command_line_options.h"
#include "harness/app/explain_options.h"
#include "harness/app/reading_options.h"
#include "harness/app/version.h"
#include "harness/core/error.h"
#include "harness/plan/nearest.h"
#include "harness/plan/value_forms.h"

namespace traceml {
namespace {

constexpr std::array<std::string_view, 12> kCommands = {
    "run",     "launch", "selfcheck", "report",  "compare", "baseline",
    "history", "check",  "init",      "datagen", "doctor",  "explain"};
constexpr std::array<std::string_view, 3> kGlobalFlags = {"--help", "-h", "--version"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void add_run(CLI::App& app, RunArguments& run) {
  CLI::App* command = app.add_subcommand("run", "measure, judge, report (the default command)");
  add_measuring(command, run, "folder for the results (default results/<name>-<time>)");
  add_scratch(command, &run.scratch);
}

void add_check(CLI::App& app, CheckArguments& check) {
  CLI::App* command =
      app.add_subcommand("check", "validate a config and print the plan; runs nothing");
  command->add_option("config", check.config, "config file (YAML)")->type_name("CONFIG");
  add_overrides(command, &check.overrides);
  add_value(command, "-n,--ranks", &check.ranks, integer_form(1, 1 << 20),
            "ranks to plan for (default 1)")
      ->type_name("N");
  add_value(command, "--launches", &check.launches, launches_form(),
            "launches to plan for, judged together: 6, 10, 14 or 20")
      ->type_name("N");
  add_value(command, "--step-ms", &check.step_ms, decimal_form(0, 3.6e6, true),
            "step time to base the time estimate on")
      ->type_name("MS");
  command->add_flag("--keys", check.keys, "print every key of a config instead; takes no CONFIG");
}

void add_init(CLI::App& app, InitArguments& init) {
  CLI::App* command = app.add_subcommand(
      "init", "write a commented config for this machine and, if named, a data set");
  command->add_option("dataset", init.dataset, "folder of images to train on")
      ->check(not_empty)
      ->type_name("DATASET");
  command->add_option("--out", init.out, "file to write; never overwritten")
      ->check(not_empty)
      ->type_name("FILE")
      ->capture_default_str();
}

void add_datagen(CLI::App& app, DatagenArguments& datagen) {
  CLI::App* command = app.add_subcommand(
      "datagen", "make a Food-101-shaped data set of JPEGs with natural statistics");
  command->add_option("dir", datagen.dir, "folder to make; must be new or empty")
      ->required()
      ->type_name("DIR");
  const auto add = [command](const char* name, auto* target, auto form, const char* help) {
    return add_value(command, name, target, form, help)->type_name("N");
  };
  add("--classes", &datagen.classes, integer_form(1, 100'000), "classes (default 101)");
  add("--images", &datagen.images, integer_form(1, 100'000'000),
      "images to train on, over all classes (default 1000)");
  add("--test-images", &datagen.test_images, integer_form(0, 100'000'000),
      "images to test on (default a third)");
  add("--long-side", &datagen.long_side, integer_form(16, 8192),
      "longer side of an image in pixels (default 512)");
  add("--seed", &datagen.seed, seed_form(), "the same seed gives the same bytes (default 0)");
}

void add_doctor(CLI::App& app, DoctorArguments& doctor) {
  CLI::App* command =
      app.add_subcommand("doctor", "what is built in, what is found, what will disturb a run");
  command->add_option("--dataset", doctor.dataset, "also look at this data set")->type_name("DIR");
  command->add_flag("--collectives", doctor.collectives,
                    "under mpirun: also time and check the all-reduce");
}

// A word that is neither a command nor a path is a mistyped command rather than a config.
void refuse_unknown_command(const std::string& word) {
  std::error_code ignored;
  if (word.starts_with("-") || word.find_first_of("./") != std::string::npos) return;
  if (std::filesystem::exists(word, ignored)) return;
  throw UsageError(shown(word) + " is neither a command nor a config file here" +
                   did_you_mean(word, {kCommands.begin(), kCommands.end()}) +
                   "; see traceml-bench --help");
}

// "baseline add" of the command that the line names.
std::string name_of(const CLI::App& command) {
  const auto inner = command.get_subcommands();
  return command.get_name() + (inner.empty() ? "" : " " + name_of(*inner.front()));
}

const CLI::App& innermost(const CLI::App& command) {
  const auto inner = command.get_subcommands();
  return inner.empty() ? command : innermost(*inner.front());
}

std::vector<std::string> actions_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands({})) names.push_back(one->get_name());
  return names;
}

std::string needed_action(const CLI::App& command, const std::vector<std::string>& actions) {
  std::string names;
  for (const std::string& name : actions) names += (names.empty() ? "" : " | ") + name;
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return command.get_name() + " needs one of " + names;
  return "traceml-bench " + command.get_name() + " has no " + shown(extras.front()) +
         did_you_mean(extras.front(), actions);
}

// What cannot be understood, by the place where a user would look first.
std::string sentence_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = innermost(app);
  const std::string name = "traceml-bench " + name_of(*app.get_subcommands().front());
  const std::vector<std::string> actions = actions_of(command);
  if (!actions.empty()) return needed_action(command, actions);
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) flags.push_back("--" + option->get_lnames().front());
  }
  const std::vector<std::string> extras = command.remaining();
  for (const std::string& word : extras) {
    if (!word.starts_with("-")) continue;
    return shown(word) + " is no flag of " + name + did_you_mean(word, flags);
  }
  if (!extras.empty()) return shown(extras.front()) + " is one argument too many";
  return error.what();
}

void require_keys_or_config(const CheckArguments& check) {
  if (check.keys == check.config.empty()) return;
  throw UsageError((check.keys ? "check --keys takes no config" : "config is required") +
                   std::string("; see traceml-bench check --help"));
}

// What belongs to two binaries means nothing to launches of one.
void require_binary(const CLI::App& command, const LaunchArguments& launch) {
  const Reading<double> margin = margin_form().read(launch.max_regression);
  if (!margin.value) throw UsageError("--max-regression " + margin.fault);
  if (!launch.candidate_binary.empty()) return;
  for (const char* name : {"--arm", "--max-regression"}) {
    if (command.count(name) == 0) continue;
    throw UsageError(std::string(name) + " goes with --candidate-binary FILE; leave it out");
  }
}

// Versions of CLI11 differ in how many empty lines end a page.
std::string help_of(const CLI::App& app) {
  std::string text = app.help();
  text.erase(text.find_last_not_of('\n') + 1);
  return text + '\n';
}

// Parses. What --help or --version prints, where one of them was given.
std::optional<std::string> text_asked_for(CLI::App& app, std::vector<std::string> args) {
  std::reverse(args.begin(), args.end());  // CLI11 takes a stack
  try {
    app.parse(args);
  } catch (const CLI::CallForHelp&) {
    return help_of(app);
  } catch (const CLI::CallForVersion&) {
    return std::string("traceml-bench ") + kToolVersion + "\n";
  } catch (const CLI::ParseError& error) {
    if (app.get_subcommands().empty()) throw UsageError(error.what());
    throw UsageError(sentence_of(app, error) + "; see traceml-bench " +
                     name_of(*app.get_subcommands().front()) + " --help");
  }
  return std::nullopt;
}

// A config alone is to be run.
void add_missing_command(std::vector<std::string>* args) {
  if (args->empty()) throw UsageError("no config and no command; see traceml-bench --help");
  if (contains(kCommands, args->front()) || contains(kGlobalFlags, args->front())) return;
  refuse_unknown_command(args->front());
  args->insert(args->begin(), "run");
}

}  // namespace

CommandLine parse_command_line(std::vector<std::string> args) {
  CLI::App app{
      "Decides, at known error rates, whether distributed training got slower, and where the time "
      "went.\n"
      "  mpirun -n 8 --bind-to none traceml-bench config.yaml\n"
      "Exit codes: 0 pass, 10 a gate failed, 11 inconclusive, 2 usage or config, 4 the run itself "
      "failed.",
      "traceml-bench"};
  app.set_version_flag("--version", std::string("traceml-bench ") + kToolVersion);
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);

  RunArguments run;
  LaunchArguments launch;
  SelfcheckArguments selfcheck;
  ReportArguments report;
  CompareArguments compare;
  BaselineArguments baseline;
  HistoryArguments history;
  CheckArguments check;
  InitArguments init;
  DatagenArguments datagen;
  DoctorArguments doctor;
  ExplainArguments explain;
  add_run(app, run);
  add_launch(app, launch);
  add_selfcheck(app, selfcheck);
  add_report(app, report);
  add_compare(app, compare);
  add_baseline(app, baseline);
  add_history(app, history);
  add_check(app, check);
  add_init(app, init);
  add_datagen(app, datagen);
  add_doctor(app, doctor);
  add_explain(app, explain);

  add_missing_command(&args);
  CommandLine line;
  line.text = text_asked_for(app, args);
  if (line.text) return line;
  if (app.got_subcommand("check")) require_keys_or_config(check);
  if (app.got_subcommand("run")) line.run = run;
  if (app.got_subcommand("launch")) {
    require_binary(*app.get_subcommand("launch"), launch);
    line.launch = launch;
  }
  if (app.got_subcommand("selfcheck")) line.selfcheck = selfcheck;
  if (app.got_subcommand("report")) line.report = report;
  if (app.got_subcommand("compare")) line.compare = compare;
  if (app.got_subcommand("baseline")) line.baseline = baseline;
  if (app.got_subcommand("history")) line.history = history;
  if (app.got_subcommand("check")) line.check = check;
  if (app.got_subcommand("init")) line.init = init;
  if (app.got_subcommand("datagen")) line.datagen = datagen;
  if (app.got_subcommand("doctor")) line.doctor = doctor;
  if (app.got_subcommand("explain")) line.explain = explain;
  return line;
}

}  // namespace traceml
