#include "harness/codec/past_run.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/codec/atomic_file.h"
#include "harness/codec/json_input.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using Json = nlohmann::json;

PastRun past_run_of(const Json& json) {
  PastRun run;
  run.name = json.at("config").at("name").get<std::string>();
  run.created_utc = json.at("created_utc").get<std::string>();
  run.finished = json.at("verdict").at("finished").get<bool>();
  for (const Json& gate : json.at("gates")) {
    const bool inconclusive = gate.at("outcome") == std::string(name_of(Outcome::kInconclusive));
    run.undecided[gate.at("name").get<std::string>()] =
        inconclusive || gate.at("escalated").get<bool>();
  }
  return run;
}

}  // namespace

std::optional<PastRun> read_past_run(const std::string& dir) {
  const std::string path = dir + "/run.json";
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const std::string text = read_whole_file(path);
    if (json_too_deep_at(text)) return std::nullopt;
    return past_run_of(Json::parse(text));
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace traceml
