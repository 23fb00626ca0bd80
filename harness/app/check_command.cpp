#include <fmt/format.h>

#include <cstdio>

#include "harness/app/command_launcher.h"
#include "harness/app/commands.h"
#include "harness/app/data_check.h"
#include "harness/app/environment_probe.h"
#include "harness/app/noise_profile_use.h"
#include "harness/app/stored_gates.h"
#include "harness/codec/config_file.h"
#include "harness/core/error.h"
#include "harness/plan/config_keys.h"
#include "harness/plan/loader_memory.h"
#include "harness/plan/plan.h"
#include "harness/plan/plan_text.h"

namespace traceml {

namespace {

// The run may be meant for another machine: no error here.
void warn_of_machine(const Plan& plan, const NoiseProfile& profile) {
  std::map<std::string, std::string> machine = {
      {"world_size", std::to_string(plan.facts.world_size)}};
  if (profile.machine.contains("processor")) {
    const Environment here = probe_environment();
    const auto model = here.facts.find("cpu_model");
    if (model != here.facts.end()) machine["processor"] = model->second;
  }
  const std::string difference = other_machine(profile, machine);
  if (difference.empty()) return;
  fmt::print(
      "warning: the noise profile {} is of another machine ({}); a run that differs so is "
      "refused\n",
      plan.config.measure.noise_profile, difference);
}

}  // namespace

int check_command(const CheckArguments& arguments) {
  if (arguments.keys) {
    std::fputs(key_reference().c_str(), stdout);
    return value_of(ExitCode::kPass);
  }
  std::vector<std::string> overrides = arguments.overrides;
  if (arguments.launches) {
    overrides.push_back("measure.launches=" + std::to_string(*arguments.launches));
  }
  Config config = read_config_file(arguments.config, overrides);
  if (config.measure.launches > 1 && config.measure.launch == 0) config.measure.launch = 1;
  const std::optional<NoiseProfile> profile = use_noise_profile(&config);
  const Plan plan = make_plan(config, arguments.ranks);
  if (plan.facts.commands) check_programs(plan.config);
  list_data_sets(plan, arguments.ranks);
  std::optional<Millis> step;
  if (arguments.step_ms) step = Millis{*arguments.step_ms};
  if (!plan.facts.stored_gates.empty()) {  // first: whether they are worth a night
    std::fputs(stored_power_text(plan, read_pinned(plan)).c_str(), stdout);
    std::fputs("\n", stdout);
  }
  std::fputs(plan_text(plan, step).c_str(), stdout);
  if (profile) warn_of_machine(plan, *profile);
  if (const auto limit = memory_limit()) {
    // The run may be meant for another machine: no error here.
    if (const auto sentence = loaders_exceed(plan, arguments.ranks, *limit)) {
      fmt::print("warning: {}\n", *sentence);
    }
  }
  return value_of(ExitCode::kPass);
}

}  // namespace traceml
