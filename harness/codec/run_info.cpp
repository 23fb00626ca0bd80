#include "harness/codec/run_info.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/codec/atomic_file.h"
#include "harness/codec/crc32.h"
#include "harness/codec/json_text.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "traceml-bench/run_info/1";
constexpr const char* kChecksum = "crc32";

// The checksum of the content, whatever its white space.
std::string checksum_of(const Json& content) {
  return fmt::format("{:08x}", crc32(json_text(content)));
}

Json to_json(const RunInfo& info) {
  return {{"schema", kSchema},
          {"run_id", text_of(info.run)},
          {"tool_version", info.tool_version},
          {"created_utc", info.created_utc},
          {"world_size", info.world_size},
          {"device", info.device},
          {"exchange", info.exchange},
          {"environment", info.environment.facts},
          {"facts", info.facts},
          {"counters", info.counters},
          {"equal_by_design", info.equal_by_design},
          {"distortions", info.distortions},
          {"notes", info.notes},
          {"finished", info.finished},
          {"failure", info.failure},
          {"config_text", info.config_text}};
}

RunInfo from_json(const Json& json) {
  RunInfo info;
  const auto run = run_id_in(json.at("run_id").get<std::string>());
  if (!run) throw RunError("run_id is not 16 hexadecimal digits");
  info.run = *run;
  json.at("tool_version").get_to(info.tool_version);
  json.at("created_utc").get_to(info.created_utc);
  json.at("world_size").get_to(info.world_size);
  json.at("device").get_to(info.device);
  json.at("exchange").get_to(info.exchange);
  json.at("environment").get_to(info.environment.facts);
  json.at("facts").get_to(info.facts);
  json.at("counters").get_to(info.counters);
  json.at("equal_by_design").get_to(info.equal_by_design);
  json.at("distortions").get_to(info.distortions);
  json.at("notes").get_to(info.notes);
  json.at("finished").get_to(info.finished);
  json.at("failure").get_to(info.failure);
  json.at("config_text").get_to(info.config_text);
  if (info.world_size < 1) throw RunError("world_size is below 1");
  return info;
}

Json parsed(const std::string& path) {
  const std::string text = read_whole_file(path);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw RunError(
        fmt::format("{} is torn or no JSON (byte {}): the run that wrote it did not end "
                    "as it should; its raw files cannot be reported without it",
                    path, error.byte));
  }
}

}  // namespace

RunInfo read_run_info(const std::string& path, bool accept_edited) {
  Json json = parsed(path);
  const std::string schema =
      json.is_object() && json.contains("schema") ? json["schema"].dump() : "nothing";
  if (schema != Json(kSchema).dump()) {
    throw RunError(fmt::format("{} says that its schema is {}; this version reads \"{}\"", path,
                               schema, kSchema));
  }
  const Json written = json.value(kChecksum, Json());
  json.erase(kChecksum);
  if (!accept_edited && written != Json(checksum_of(json))) {
    throw RunError(fmt::format(
        "{} was edited: it does not match its checksum; --accept-edited reads it all the same",
        path));
  }
  try {
    return from_json(json);
  } catch (const std::exception& error) {
    throw RunError(fmt::format("{} is not a whole run_info.json: {}", path, error.what()));
  }
}

void write_run_info(const std::string& path, const RunInfo& info) {
  // Through text and back, so that what is not UTF-8 is replaced before the checksum is taken.
  Json json = Json::parse(json_text(to_json(info)));
  const std::string checksum = checksum_of(json);
  json[kChecksum] = checksum;
  write_file_atomically(path, json_text(json));
}

}  // namespace traceml
