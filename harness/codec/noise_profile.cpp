#include "harness/codec/noise_profile.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/codec/atomic_file.h"
#include "harness/codec/campaign_json.h"
#include "harness/codec/config_file.h"
#include "harness/codec/json_text.h"
#include "harness/codec/run_id.h"
#include "harness/core/error.h"
#include "harness/plan/arms.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "traceml-bench/noise_profile/1";

double standard_deviation_of(const Json& json) {
  const double value = json.get<double>();
  if (!std::isfinite(value) || value < 0 || value > 10) {
    throw UsageError("a standard deviation in it is none");
  }
  return value;
}

}  // namespace

std::string config_hash(const Config& config) {
  const MeasureConfig usual;
  Config hashed = config;
  complete_arms(&hashed);
  hashed.name = Config{}.name;
  hashed.question.clear();
  hashed.seed = 0;
  hashed.require = {};
  hashed.gates.clear();
  hashed.sweep = {};
  hashed.workload.device = Config{}.workload.device;  // the machine's part says what it came to
  for (ArmConfig& arm : hashed.arms) arm.workload.device = hashed.workload.device;
  hashed.measure = usual;
  hashed.measure.warmup_steps = config.measure.warmup_steps;
  hashed.measure.steps = config.measure.steps;
  hashed.measure.period = config.measure.period;
  hashed.measure.instrument = config.measure.instrument;
  return text_of(run_id_derived_from(write_config(hashed)));
}

void write_noise_profile(const std::string& path, const NoiseProfile& profile) {
  write_file_atomically(
      path, sealed({{"schema", kSchema},
                    {"created_utc", profile.created_utc},
                    {"tool_version", profile.tool_version},
                    {"config_hash", profile.config_hash},
                    {"machine", profile.machine},
                    {"arm", profile.arm},
                    {"runs", profile.runs},
                    {"launches", profile.launches},
                    {"pair_sd", json_number(profile.pair_sd)},
                    {"interaction_sd", json_number(profile.interaction_sd)},
                    {"interaction_sd_upper", json_number(profile.interaction_sd_upper)}})
                .text);
}

NoiseProfile read_noise_profile(const std::string& path) {
  const Json json = read_sealed(path, kSchema).json;
  NoiseProfile profile;
  try {
    profile.created_utc = json.at("created_utc").get<std::string>();
    profile.tool_version = json.at("tool_version").get<std::string>();
    profile.config_hash = json.at("config_hash").get<std::string>();
    profile.machine = json.at("machine").get<std::map<std::string, std::string>>();
    profile.arm = json.at("arm").get<std::string>();
    profile.runs = whole_number_of(json.at("runs"));
    profile.launches = whole_number_of(json.at("launches"));
    profile.pair_sd = standard_deviation_of(json.at("pair_sd"));
    profile.interaction_sd = standard_deviation_of(json.at("interaction_sd"));
    profile.interaction_sd_upper = standard_deviation_of(json.at("interaction_sd_upper"));
  } catch (const Json::exception&) {
    throw RunError(path + " lacks what a noise profile holds");
  } catch (const UsageError& error) {
    throw RunError(fmt::format("{} is no noise profile: {}", path, error.what()));
  }
  return profile;
}

}  // namespace traceml
