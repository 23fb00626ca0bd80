#include <fmt/format.h>

#include <cstdio>

#include "harness/app/baseline_judge.h"
#include "harness/app/campaign_record.h"
#include "harness/app/commands.h"
#include "harness/app/launch_folder.h"
#include "harness/app/pooled_launches.h"
#include "harness/app/results_dir.h"
#include "harness/app/terminal_style.h"
#include "harness/codec/baseline_store.h"
#include "harness/core/error.h"
#include "harness/reports/baseline_text.h"

namespace traceml {
namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

std::string joined(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

void add(const BaselineArguments& arguments) {
  const std::string& run_dir = arguments.run_dir;
  if (!is_launch_folder(run_dir)) {
    throw UsageError(fmt::format(
        "{} is not the folder of a traceml-bench launch; a campaign has three launches or more",
        run_dir));
  }
  const PooledLaunches launches = read_launches(run_dir, false);
  if (launches.again) {
    print(fmt::format("launches {} and on measured again what failed; they are left out\n",
                      launches.finished + 1));
  }
  const CampaignRecord record = record_of(launches);
  require_sound(run_dir, launches, record);
  const int number = add_campaign(arguments.dir, record);
  const PinnedBaseline pinned = pinned_of(read_store(arguments.dir));
  const std::string now = pinned.pin > 0
                              ? fmt::format("pin {} stays as it is", pinned.pin)
                              : fmt::format(
                                    "nothing is pinned yet: traceml-bench baseline pin {} "
                                    "CAMPAIGN... takes five or more",
                                    arguments.dir);
  print(fmt::format("{} holds it as campaign {}; {}\n", arguments.dir, number, now));
}

void list(const BaselineArguments& arguments) {
  const BaselineStore store = read_store(arguments.dir);
  std::vector<PinInWords> pins;
  for (const StoredPin& pin : store.pins) {
    pins.push_back({pin.created_utc, joined(pin.campaigns)});
  }
  print(render_baseline_list(arguments.dir, store.campaigns, pins, pinned_of(store),
                             style_of_stdout().columns));
}

void pin(const BaselineArguments& arguments) {
  const int number = pin_campaigns(arguments.dir, arguments.campaigns, utc_now());
  const BaselineStore store = read_store(arguments.dir);
  print(fmt::format("pin {} of {}: campaigns {}\n", number, arguments.dir,
                    joined(store.pins[static_cast<std::size_t>(number) - 1].campaigns)));
}

void show(const BaselineArguments& arguments) {
  print(render_baseline(arguments.dir, pinned_of(read_store(arguments.dir)),
                        style_of_stdout().columns));
}

}  // namespace

int baseline_command(const BaselineArguments& arguments) {
  switch (arguments.action) {
    case BaselineAction::kAdd:
      add(arguments);
      break;
    case BaselineAction::kList:
      list(arguments);
      break;
    case BaselineAction::kPin:
      pin(arguments);
      break;
    case BaselineAction::kShow:
      show(arguments);
      break;
    case BaselineAction::kJudge:
      return judge_campaigns(arguments.dir, arguments.run_dirs);
  }
  return value_of(ExitCode::kPass);
}

}  // namespace traceml
