// page_samples DIR [traces]: pages for the browser's test (tests/end_to_end/page_test.py; those of
// traces: trace_page_test.py) that no quick run makes: names that try to break out, devices, many
// ranks. Beside each NAME.html lies NAME.json.

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

#include "harness/analysis/campaign.h"
#include "harness/reports/all_reports.h"
#include "harness/reports/html/html.h"
#include "tests/analysis/past_reports.h"
#include "tests/analysis/synthetic_campaign.h"
#include "tests/reports/sample_input.h"
#include "tests/reports/sample_traces.h"

namespace traceml::testing {
namespace {

constexpr int kManyRanks = 1024;

synthetic::Campaign campaign_of(int ranks) {
  synthetic::Campaign campaign;
  campaign.arms[0].reference = 1;
  campaign.arms[0].step_ms = 43.1;
  campaign.arms[0].queue_capacity = 16;
  campaign.arms[1] = {
      .name = "reference", .step_ms = 42.2, .input_wait_ms = .01, .input_free = true};
  campaign.gates = {synthetic::gate(GateKind::kMinFraction, 0, 1, .05)};
  campaign.world_size = ranks;
  campaign.blocks = campaign.max_blocks = 10;
  campaign.steps = 100;
  campaign.settle_steps = 2;
  campaign.noise = .002;
  campaign.with_steps = true;
  campaign.with_device_times = true;
  campaign.late_ms = std::vector<double>(static_cast<std::size_t>(ranks), 0.0);
  campaign.late_ms.back() = 0.6;
  return campaign;
}

void lengthen(StepRecord* step, Phase phase, double ms) {
  DualTime& time = *step->phases[index_of(phase)];
  const Nanos more(std::llround(ms * 1e6));
  *time.host += more;
  *time.device += more;
}

// Noise on each step, a slow node, stalls, memory and a device that gets hot.
void make_lively(std::vector<RankRecords>* ranks) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> noise(4);
  for (RankRecords& rank : *ranks) {
    const bool slow_node = rank.rank.value / 8 == 3;
    for (StepRecord& step : rank.steps) {
      lengthen(&step, Phase::kTraced, noise(random) + (slow_node ? 0.8 : 0));
      lengthen(&step, Phase::kBackward, slow_node ? 0.8 : 0);
      const bool stalls = step.window->value == 7 && step.step.value == 50 && rank.rank.value == 5;
      if (stalls) lengthen(&step, Phase::kInputWait, 31);
      step.allocated_peak_bytes = 23'000'000'000 + step.window->value * 1'000'000;
      step.reserved_peak_bytes = 25'769'803'776;
    }
    for (WindowRecord& window : rank.windows) {
      window.queue_start = 2;
      window.queue_end = window.window.value % 3;
      window.loss_first = 4.6;
      window.loss_last = 4.1;
      DeviceRecord device;
      device.window = window.window;
      device.sm_clock_mhz = 1980 - static_cast<int>(window.window.value) * 3;
      device.power_w = 640 + rank.rank.value % 7;
      if (window.window.value != 4) device.temperature_c = 58 + rank.rank.value % 5;
      device.throttle_reasons = 0;
      rank.devices.push_back(device);
    }
  }
}

Sample lively_run(int ranks) {
  const synthetic::Campaign campaign = campaign_of(ranks);
  std::vector<RankRecords> records = synthetic::records_of(campaign);
  make_lively(&records);
  Sample sample = passed_run();
  sample.info.world_size = ranks;
  sample.info.nodes.clear();
  for (int rank = 0; rank < ranks; ++rank) sample.info.nodes.push_back(rank / 8);
  sample.plan.facts = synthetic::facts_of(campaign);
  sample.plan.facts.gates.front().name = "shipped against reference";
  sample.summary = summarize_campaign(sample.plan.facts, records);
  return sample;
}

// Four weeks of nights that creep: a new driver, a night without a verdict, one that broke, one
// that failed.
std::string creeping_history() {
  std::vector<PastReport> runs = past::nights(28, 0.0007, "deeper against <b>shipped</b>");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    PastGate fraction = past::gate_of("shipped against reference", 0.02);
    fraction.fraction = true;
    fraction.estimate = 0.978 + 0.001 * static_cast<double>(i * 5 % 7);
    fraction.interval = Interval{*fraction.estimate - 0.006, *fraction.estimate + 0.006};
    fraction.margin = 0.95;
    fraction.theta = -std::log(*fraction.estimate);
    runs[i].gates.push_back(fraction);
    if (i >= 17) runs[i].fingerprint["driver"] = "590.11.01";
  }
  runs[4].gates[1].outcome = Outcome::kInconclusive;
  runs[4].gates[1].reasons = {"wide_interval"};
  runs[4].gates[1].interval = Interval{0.93, 1.03};
  runs[9].finished = false;
  for (PastGate& gate : runs[9].gates) {
    gate.outcome = Outcome::kInconclusive;
    gate.reasons = {"missing_rank"};
    gate.estimate.reset();
    gate.theta.reset();
    gate.interval.reset();
  }
  runs.back().gates[0].outcome = Outcome::kFail;
  return render_history_html(history_of(runs, {}), {{"results/night29", "run.json is torn"}});
}

// Pages of `explain`: two ranks, names that try to break out, a trace without a device, and more
// ranks than are shown in full.
void write_traces(const std::filesystem::path& dir) {
  const auto write = [&](const std::string& name, const std::vector<Timeline>& timelines) {
    std::ofstream(dir / (name + ".html"), std::ios::binary)
        << render_trace_html(trace_sample(timelines).input());
  };
  const auto ranks = [](int count, int steps) {
    std::vector<Timeline> timelines;
    for (int rank = 0; rank < count; ++rank) {
      timelines.push_back(timeline_of(busy_job(steps), rank));
    }
    return timelines;
  };
  write("trace_ranks", ranks(2, 18));
  write("trace_many_ranks", ranks(70, 4));
  write("trace_hostile", {timeline_of(hostile_job())});
  TraceScript host_only;
  host_only.open(HostKind::kAnnotation, "ProfilerStep#1");
  host_only.span(HostKind::kOperator, "aten::mm", us(500)).close();
  write("trace_no_device", {timeline_of(host_only)});
}

void write(const std::filesystem::path& dir, const std::string& name, const Sample& sample) {
  const auto files = render_files(input_of(sample));
  std::ofstream(dir / (name + ".html"), std::ios::binary) << files.at("report.html");
  std::ofstream(dir / (name + ".json"), std::ios::binary) << files.at("run.json");
  std::ofstream(dir / (name + ".svg"), std::ios::binary) << files.at("report.svg");
}

}  // namespace
}  // namespace traceml::testing

int main(int count, char** arguments) {
  using namespace traceml::testing;
  const bool traces = count == 3 && std::string(arguments[2]) == "traces";
  if (count != 2 && !traces) {
    std::cerr << "page_samples DIR [traces]\n";
    return 2;
  }
  const std::filesystem::path dir = arguments[1];
  if (traces) {
    write_traces(dir);
    return 0;
  }
  for (const NamedSample& sample : all_samples()) write(dir, sample.name, sample.make());
  write(dir, "lively", lively_run(16));
  write(dir, "many_ranks", lively_run(kManyRanks));
  std::ofstream(dir / "creeping_history.html", std::ios::binary) << creeping_history();
}
