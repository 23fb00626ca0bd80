// Error rates of the whole path, from a plan over steps, recorders and raw files to an exit code:
// campaigns of spin on the virtual clock with a known slowdown (docs/statistics.md, section 4,
// oracle 8), within one launch and over launches. Their pairs, or launches, differ by 1.41 %.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/app/launch_folder.h"
#include "harness/app/pooled_launches.h"
#include "harness/app/run_session.h"
#include "harness/backends/local/steady_host_clock.h"
#include "harness/core/error.h"
#include "tests/app/silence.h"
#include "tests/codec/temporary_folder.h"

namespace traceml {
namespace {

constexpr double kSd = .0141;
constexpr int kSteps = 8;  // a window; its noise is one factor of its own and one a step
constexpr int kLaunchBlocks = 4;

enum class Unit { kPair, kLaunch };

// Campaigns of each effect: TRACEML_CAMPAIGNS, or as many as take half a minute for launches.
int campaigns(Unit unit) {
  const char* text = std::getenv("TRACEML_CAMPAIGNS");
  if (text != nullptr) return std::atoi(text);
  return unit == Unit::kPair ? 2000 : 400;
}

// Three standard errors of a rate.
double slack(Unit unit, double rate) {
  return 3 * std::sqrt(rate * (1 - rate) / campaigns(unit));
}

struct Rates {
  double pass = 0, fail = 0, inconclusive = 0;
  double spread = 0;  // mean of what the campaigns report as the standard deviation of a unit
};

class ErrorRates : public ::testing::Test {
 protected:
  // The mean of `pairs` pairs of windows differs by kSd.
  std::string config_of(double slowdown, int pairs) {
    const double noise = kSd * std::sqrt(pairs / (2 * (1 + 1. / kSteps)));
    folder_.write("config.yaml", R"(workload:
  model: spin
  device: fake
  clock: virtual
  phases_ms: {input_wait: 0, h2d: 0, forward: 5, backward: 0, optimizer: 0}
  allreduce_ms: 0
  noise: )" + std::to_string(noise * 100) +
                                     R"(%
measure: {warmup_steps: 8, period: 1, max_blocks: 20, launch_blocks: )" +
                                     std::to_string(kLaunchBlocks) + R"(}
arms:
  baseline: {}
  candidate: {plant: [{slowdown: )" + std::to_string(slowdown * 100) +
                                     R"(%}]}
gates: [{compare: candidate, against: baseline, max_regression: 2%}]
)");
    return folder_.path("config.yaml");
  }

  int session(const RunArguments& arguments) {
    RunWatch watch(ranks_.transport(), ranks_.roll());
    return run_session(ranks_, watch, clock_, arguments);
  }

  RunArguments arguments_of(const std::string& config, int seed, const std::string& out) {
    RunArguments arguments;
    arguments.config = config;
    arguments.overrides = {"seed=" + std::to_string(seed),
                           "measure.steps=" + std::to_string(kSteps)};
    arguments.out = out;
    arguments.quiet = true;
    return arguments;
  }

  // One run; its exit code, after a look at its report's standard deviation.
  int one_launch(const std::string& config, int seed, double* spread) {
    const std::string out = folder_.path("run");
    std::filesystem::remove_all(out);
    const int code = session(arguments_of(config, seed, out));
    *spread += read_finished_run(out, false).summary.gates.at(0).pair_sd.value();
    return code;
  }

  // As `launch` goes on until a look decides, but for mpirun.
  int launches(const std::string& config, int seed, double* spread) {
    const std::string out = folder_.path("launches_of_one");
    std::filesystem::remove_all(out);
    std::filesystem::create_directories(out + "/launches");
    for (int launch = 1; launch <= 20; ++launch) {
      RunArguments arguments = arguments_of(config, seed, dir_of_launch(out, launch));
      arguments.overrides.push_back("measure.launches=20");
      arguments.overrides.push_back("measure.launch=" + std::to_string(launch));
      session(arguments);
      if (launch != 6 && launch != 10 && launch != 14 && launch != 20) continue;
      const PooledLaunches pooled = read_launches(out, false);
      if (!has_ended(pooled)) continue;
      const FinishedRun run = judge_launches(pooled);
      *spread += run.summary.gates.at(0).pair_sd.value();
      return run.summary.exit_code;
    }
    throw RunError("20 launches have not ended the campaign");
  }

  Rates rates_of(Unit unit, double slowdown) {
    const Silence silence;
    const std::string config = config_of(slowdown, unit == Unit::kPair ? 1 : kLaunchBlocks);
    std::map<int, int> codes;
    Rates rates;
    const int count = campaigns(unit);
    for (int seed = 1; seed <= count; ++seed) {
      ++codes[unit == Unit::kPair ? one_launch(config, seed, &rates.spread)
                                  : launches(config, seed, &rates.spread)];
    }
    const auto share = [&](ExitCode code) { return 1. * codes[value_of(code)] / count; };
    rates.pass = share(ExitCode::kPass);
    rates.fail = share(ExitCode::kRegression);
    rates.inconclusive = share(ExitCode::kInconclusive);
    rates.spread /= count;
    record("pass", slowdown, rates.pass);
    record("fail", slowdown, rates.fail);
    record("inconclusive", slowdown, rates.inconclusive);
    EXPECT_DOUBLE_EQ(rates.pass + rates.fail + rates.inconclusive, 1);
    return rates;
  }

 private:
  // In the XML output of GoogleTest and in the log of a verbose run.
  static void record(const std::string& what, double slowdown, double rate) {
    const std::string name = what + "_at_" + std::to_string(std::lround(slowdown * 100)) + "_%";
    RecordProperty(name, std::to_string(rate));
    std::fprintf(stderr, "%s: %.4f\n", name.c_str(), rate);
  }

  testing::TemporaryFolder folder_;
  SteadyHostClock clock_;
  static Ranks& met_ranks(SteadyHostClock& clock) {
    static Ranks ranks(clock);  // MPI starts once in a process
    return ranks;
  }
  Ranks& ranks_ = met_ranks(clock_);
};

// With looks at 6, 10, 14 and 20, each at a quarter of alpha, 3.5 % a side are expected.
void expect_rare(Unit unit, double wrong) {
  EXPECT_LE(wrong, std::max(.06, .035 + slack(unit, .035)));
}

TEST_F(ErrorRates, within_one_launch_at_the_margin_are_rare) {
  const Rates rates = rates_of(Unit::kPair, .02);
  EXPECT_NEAR(rates.spread, kSd, .0005);
  expect_rare(Unit::kPair, rates.pass);
  expect_rare(Unit::kPair, rates.fail);
  EXPECT_GE(rates.pass + rates.fail, .005);  // the margin is where errors can be seen at all
}

TEST_F(ErrorRates, within_one_launch_no_change_passes_and_five_percent_fails) {
  EXPECT_GE(rates_of(Unit::kPair, 0).pass, .99);
  EXPECT_GE(rates_of(Unit::kPair, .05).fail, .99);
}

TEST_F(ErrorRates, over_launches_at_the_margin_are_rare) {
  const Rates rates = rates_of(Unit::kLaunch, .02);
  EXPECT_NEAR(rates.spread, kSd, .0005);
  expect_rare(Unit::kLaunch, rates.pass);
  expect_rare(Unit::kLaunch, rates.fail);
  EXPECT_GE(rates.pass,
            .025 - slack(Unit::kLaunch, .035));  // far below: the looks would be too strict
  EXPECT_GE(rates.fail, .025 - slack(Unit::kLaunch, .035));
}

TEST_F(ErrorRates, over_launches_no_change_passes_and_five_percent_fails) {
  EXPECT_GE(rates_of(Unit::kLaunch, 0).pass, .99);
  EXPECT_GE(rates_of(Unit::kLaunch, .05).fail, .99);
}

}  // namespace
}  // namespace traceml
