#include "harness/codec/selfcheck_request.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/codec/atomic_file.h"
#include "harness/codec/campaign_json.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "traceml-bench/selfcheck_request/1";

std::vector<double> shares_of(const Json& json) {
  std::vector<double> shares = json.get<std::vector<double>>();
  for (const double share : shares) {
    if (!std::isfinite(share) || share < 0) throw UsageError("a share in it is none");
  }
  return shares;
}

}  // namespace

std::string selfcheck_request_file(const std::string& out) {
  return out + "/selfcheck_request.json";
}

void write_selfcheck_request(const std::string& path, const SelfcheckRequest& request) {
  write_file_atomically(path, sealed({{"schema", kSchema},
                                      {"created_utc", request.created_utc},
                                      {"config_hash", request.config_hash},
                                      {"arm", request.arm},
                                      {"plants", request.plants},
                                      {"effects", request.effects},
                                      {"seed", request.seed},
                                      {"runs", request.runs},
                                      {"launches", request.launches},
                                      {"ranks", request.ranks}})
                                  .text);
}

SelfcheckRequest read_selfcheck_request(const std::string& path) {
  const Json json = read_sealed(path, kSchema).json;
  SelfcheckRequest request;
  try {
    request.created_utc = json.at("created_utc").get<std::string>();
    request.config_hash = json.at("config_hash").get<std::string>();
    request.arm = json.at("arm").get<std::string>();
    request.plants = shares_of(json.at("plants"));
    request.effects = shares_of(json.at("effects"));
    request.seed = json.at("seed").get<std::uint64_t>();
    request.runs = whole_number_of(json.at("runs"));
    request.launches = whole_number_of(json.at("launches"));
    request.ranks = whole_number_of(json.at("ranks"));
  } catch (const Json::exception&) {
    throw RunError(path + " lacks what a self-check was asked");
  } catch (const UsageError& error) {
    throw RunError(fmt::format("{} is none of ours: {}", path, error.what()));
  }
  return request;
}

}  // namespace traceml
