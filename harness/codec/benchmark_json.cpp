#include "harness/codec/benchmark_json.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "harness/codec/json_text.h"
#include "harness/codec/shareable_text.h"
#include "harness/plan/spin_rules.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRealTime =
    "wall per step of a window: host clock, device synchronised, maximum over ranks";
constexpr const char* kRealTimeOfCommands = "number of a launch";
constexpr const char* kCpuTime =
    "not measured: repeats real_time, which this format cannot leave out";

Json context_json(const RunInfo& info, const Plan& plan) {
  Json context = {{"date", info.created_utc},
                  {"executable", "traceml-bench"},
                  {"library_version", info.tool_version},
                  {"json_schema_version", 1},
                  {"config", without_folders(plan.config.name)},
                  {"ranks", info.world_size},
                  {"device", info.device},
                  {"real_time", plan.facts.commands ? kRealTimeOfCommands : kRealTime},
                  {"cpu_time", kCpuTime}};
  if (const std::string trial = trial_of(plan.config); !trial.empty()) context["trial"] = trial;
  return context;
}

// What the entries of one arm have in common, in google/benchmark's order of fields.
class Family {
 public:
  Family(std::string run_name, int index, std::size_t repetitions)
      : run_name_(std::move(run_name)), index_(index), repetitions_(repetitions) {}

  Json repetition(std::size_t number, const WindowWall& window) const {
    Json entry = head(run_name_, "iteration");
    entry["repetition_index"] = number;
    entry["threads"] = 1;
    entry["iterations"] = window.steps;
    return with_times(std::move(entry), window.per_step.count());
  }

  Json aggregate(const std::string& name, const char* unit, double value) const {
    Json entry = head(run_name_ + "_" + name, "aggregate");
    entry["threads"] = 1;
    entry["aggregate_name"] = name;
    entry["aggregate_unit"] = unit;
    entry["iterations"] = repetitions_;
    return with_times(std::move(entry), value);
  }

 private:
  Json head(const std::string& name, const char* run_type) const {
    return {{"name", name},          {"family_index", index_}, {"per_family_instance_index", 0},
            {"run_name", run_name_}, {"run_type", run_type},   {"repetitions", repetitions_}};
  }

  static Json with_times(Json entry, double value) {
    entry["real_time"] = value;
    entry["cpu_time"] = value;
    entry["time_unit"] = "ms";
    return entry;
  }

  std::string run_name_;
  int index_;
  std::size_t repetitions_;
};

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

void add_aggregates(const Family& family, const std::vector<double>& values, Json* list) {
  if (values.size() < 2) return;
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double stddev = std::sqrt(squares / (count - 1));
  list->push_back(family.aggregate("mean", "time", mean));
  list->push_back(family.aggregate("median", "time", median_of(values)));
  list->push_back(family.aggregate("stddev", "time", stddev));
  list->push_back(family.aggregate("cv", "percentage", stddev / mean));
}

}  // namespace

std::string write_benchmark_json(const RunInfo& info, const Plan& plan,
                                 const CampaignSummary& summary) {
  Json benchmarks = Json::array();
  int index = 0;
  for (const ArmSummary& arm : summary.arms) {
    if (arm.window_walls.empty()) continue;
    const Family family(without_folders(plan.config.name + "/" + arm.name), index++,
                        arm.window_walls.size());
    std::vector<double> values;
    for (const WindowWall& window : arm.window_walls) {
      benchmarks.push_back(family.repetition(values.size(), window));
      values.push_back(window.per_step.count());
    }
    add_aggregates(family, values, &benchmarks);
  }
  const Json json = {{"context", context_json(info, plan)}, {"benchmarks", std::move(benchmarks)}};
  return json_text(json);
}

}  // namespace traceml
