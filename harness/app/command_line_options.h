#pragma once
// For the sources of the command line only: options that several commands have.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/app/command_line.h"
#include "harness/app/reading_options.h"
#include "harness/core/error.h"
#include "harness/plan/value_forms.h"

namespace traceml {

// An option whose text is read as strictly as a value of a config.
template <class Target, class Value>
CLI::Option* add_value(CLI::App* command, const std::string& name, Target* target,
                       const ValueForm<Value>& form, const std::string& help) {
  const CLI::callback_t read = [name, target, form](const CLI::results_t& texts) {
    const Reading<Value> reading = form.read(texts.front());
    if (!reading.value) throw UsageError(name.substr(name.find("--")) + " " + reading.fault);
    *target = *reading.value;
    return true;
  };
  return command->add_option(name, read, help);
}

inline void add_overrides(CLI::App* command, std::vector<std::string>* overrides) {
  command->add_option("--set", *overrides, "override one key: --set input.workers=8 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

template <class Arguments>
void add_config(CLI::App* command, Arguments& arguments) {
  command->add_option("config", arguments.config, "config file (YAML)")
      ->required()
      ->type_name("CONFIG");
  add_overrides(command, &arguments.overrides);
}

// What `run` and `launch` share.
template <class Arguments>
void add_measuring(CLI::App* command, Arguments& arguments, const char* out_help) {
  add_config(command, arguments);
  command->add_option("--out", arguments.out, out_help)->check(not_empty)->type_name("DIR");
  command->add_flag("--quiet", arguments.quiet, "print the verdict line alone");
  command->add_flag("--require-gates", arguments.require_gates,
                    "a config without gates is an error (exit 2)");
}

inline void add_scratch(CLI::App* command, std::string* scratch) {
  command
      ->add_option("--scratch", *scratch,
                   "folder of each node for raw files until they are gathered over MPI")
      ->check(not_empty)
      ->type_name("DIR");
}

// The looks of a campaign: a verdict may be reached after so many launches.
inline ValueForm<int> launches_form() {
  return choice_form<int>({{"6", 6}, {"10", 10}, {"14", 14}, {"20", 20}}, {});
}

// Commands that keep campaigns and start launches (command_line_campaigns.cpp).
void add_launch(CLI::App& app, LaunchArguments& launch);
void add_selfcheck(CLI::App& app, SelfcheckArguments& check);
void add_baseline(CLI::App& app, BaselineArguments& baseline);

}  // namespace traceml
