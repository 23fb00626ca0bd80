#include "harness/codec/run_info.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/codec/atomic_file.h"
#include "harness/codec/crc32.h"
#include "harness/codec/gate_figures.h"
#include "harness/codec/json_input.h"
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

Json to_json(const std::vector<GateSpec>& left_out_gates) {
  Json list = Json::array();
  for (const GateSpec& gate : left_out_gates) {
    list.push_back({{"name", gate.name},
                    {"kind", name_of(gate.kind)},
                    {"candidate", gate.left_out->candidate},
                    {"baseline", gate.left_out->baseline},
                    {"stored", gate.stored ? gate.stored->store : ""},
                    {"delta", gate.delta},
                    {"min_fraction", json_number(gate.min_fraction)},
                    {"inconclusive_passes", gate.inconclusive_passes},
                    {"inconclusive_fails", gate.inconclusive_fails},
                    {"escalate_after", gate.escalate_after},
                    {"why", gate.left_out->why}});
  }
  return list;
}

Json to_json(const RunInfo& info) {
  return {{"schema", kSchema},
          {"run_id", text_of(info.run)},
          {"tool_version", info.tool_version},
          {"created_utc", info.created_utc},
          {"world_size", info.world_size},
          {"nodes", info.nodes},
          {"device", info.device},
          {"exchange", info.exchange},
          {"environment", info.environment.facts},
          {"facts", info.facts},
          {"counters", info.counters},
          {"equal_by_design", info.equal_by_design},
          {"inconclusive_before", info.inconclusive_before},
          {"left_out_gates", to_json(info.left_out_gates)},
          {"distortions", info.distortions},
          {"notes", info.notes},
          {"finished", info.finished},
          {"failure", info.failure},
          {"config_text", info.config_text}};
}

std::string short_text(const Json& value) {
  constexpr std::size_t kMost = 60;
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

// The keys of a run_info.json, each of one type.
class Keys {
 public:
  Keys(const Json& json, const std::string& path) : json_(json), path_(path) {}

  std::string text(const char* key) const { return text_of(key, at(key)); }

  bool yes(const char* key) const {
    const Json& value = at(key);
    if (!value.is_boolean()) fail(key, "neither true nor false", value);
    return value.get<bool>();
  }

  std::vector<std::string> texts(const char* key) const {
    const Json& list = at(key);
    if (!list.is_array()) fail(key, "no list of texts", list);
    std::vector<std::string> texts;
    for (const Json& item : list) texts.push_back(text_of(key, item));
    return texts;
  }

  std::map<std::string, std::string> text_map(const char* key) const {
    std::map<std::string, std::string> map;
    for (const auto& [name, value] : object(key).items()) map[name] = text_of(key, value);
    return map;
  }

  std::map<std::string, std::int64_t> whole_map(const char* key) const {
    std::map<std::string, std::int64_t> map;
    for (const auto& [name, value] : object(key).items()) {
      map[name] = whole_of(key, value, kMostCounted);
    }
    return map;
  }

  int world_size() const {
    return static_cast<int>(whole_of("world_size", at("world_size"), kMaxRanks, 1));
  }

  // Of each rank, or of none.
  std::vector<int> nodes() const {
    const Json& list = at("nodes");
    if (!list.is_array()) fail("nodes", "no list of node numbers", list);
    std::vector<int> nodes;
    for (const Json& node : list) {
      nodes.push_back(static_cast<int>(whole_of("nodes", node, kMaxRanks)));
    }
    if (!nodes.empty() && nodes.size() != static_cast<std::size_t>(world_size())) {
      fail("nodes names another number of ranks than world_size");
    }
    return nodes;
  }

  // Empty where an older run does not tell.
  std::vector<GateSpec> left_out_gates() const {
    const auto found = json_.find("left_out_gates");
    if (found == json_.end()) return {};
    if (!found->is_array()) fail("left_out_gates", "no list of gates", *found);
    std::vector<GateSpec> gates;
    for (const Json& gate : *found) {
      if (!gate.is_object()) fail("left_out_gates", "no object", gate);
      gates.push_back(Keys(gate, path_).left_out_gate());
    }
    return gates;
  }

  RunId run_id() const {
    const auto run = run_id_in(text("run_id"));
    if (!run) fail("run_id is not 16 hexadecimal digits");
    return *run;
  }

 private:
  static constexpr std::int64_t kMostCounted = std::int64_t{1} << 62;

  GateSpec left_out_gate() const {
    GateSpec gate;
    gate.name = text("name");
    gate.kind = kind();
    gate.left_out = LeftOutArms{text("candidate"), text("baseline"), text("why")};
    if (const std::string store = text("stored"); !store.empty()) {
      gate.stored = StoredSpec{};
      gate.stored->store = store;
    }
    gate.delta = number("delta", at("delta"));
    const Json& fraction = at("min_fraction");
    if (!fraction.is_null()) gate.min_fraction = number("min_fraction", fraction);
    gate.inconclusive_passes = yes("inconclusive_passes");
    gate.inconclusive_fails = yes("inconclusive_fails");
    constexpr int kMostRuns = std::numeric_limits<int>::max();
    gate.escalate_after =
        static_cast<int>(whole_of("escalate_after", at("escalate_after"), kMostRuns));
    return gate;
  }

  GateKind kind() const {
    for (const GateKind kind :
         {GateKind::kMinFraction, GateKind::kMaxRegression, GateKind::kMaxOverhead}) {
      if (text("kind") == name_of(kind)) return kind;
    }
    fail("kind", "no kind of gate", at("kind"));
  }

  double number(const char* key, const Json& value) const {
    if (!value.is_number()) fail(key, "no number", value);
    return value.get<double>();
  }

  const Json& at(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("{} is missing", key));
    return *found;
  }

  const Json& object(const char* key) const {
    const Json& value = at(key);
    if (!value.is_object()) fail(key, "no object", value);
    return value;
  }

  std::string text_of(const char* key, const Json& value) const {
    if (!value.is_string()) fail(key, "no text", value);
    return value.get<std::string>();
  }

  std::int64_t whole_of(const char* key, const Json& value, std::int64_t most,
                        std::int64_t least = 0) const {
    const bool whole = value.is_number_integer();
    const bool held = whole && (!value.is_number_unsigned() ||
                                value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most));
    if (!held || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
      fail(key, fmt::format("no whole number from {} to {}", least, most), value);
    }
    return value.get<std::int64_t>();
  }

  [[noreturn]] void fail(const char* key, const std::string& wanted, const Json& found) const {
    const std::string given = found.is_number() ? found.dump() : found.type_name();
    fail(fmt::format("{}: {} is {}", key, given, wanted));
  }

  [[noreturn]] void fail(const std::string& fault) const {
    throw RunError(fmt::format("{} is not a whole run_info.json: {}", path_, fault));
  }

  const Json& json_;
  const std::string& path_;
};

RunInfo from_json(const Keys& keys) {
  RunInfo info;
  info.run = keys.run_id();
  info.tool_version = keys.text("tool_version");
  info.created_utc = keys.text("created_utc");
  info.world_size = keys.world_size();
  info.nodes = keys.nodes();
  info.device = keys.text("device");
  info.exchange = keys.text("exchange");
  info.environment.facts = keys.text_map("environment");
  info.facts = keys.text_map("facts");
  info.counters = keys.whole_map("counters");
  info.equal_by_design = keys.text_map("equal_by_design");
  info.inconclusive_before = keys.whole_map("inconclusive_before");
  info.left_out_gates = keys.left_out_gates();
  info.distortions = keys.texts("distortions");
  info.notes = keys.texts("notes");
  info.finished = keys.yes("finished");
  info.failure = keys.text("failure");
  info.config_text = keys.text("config_text");
  return info;
}

Json parsed(const std::string& path) {
  const std::string text = read_whole_file(path);
  if (const auto byte = json_too_deep_at(text)) {
    throw RunError(
        fmt::format("{} is no run_info.json: it is nested too deeply (byte {})", path, *byte + 1));
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw RunError(
        fmt::format("{} is torn or no JSON (byte {}): the run that wrote it did not end "
                    "as it should; its raw files cannot be reported without it",
                    path, error.byte));
  } catch (const Json::exception&) {
    throw RunError(fmt::format("{} holds a number that is too large to read", path));
  }
}

}  // namespace

RunInfo read_run_info(const std::string& path, bool accept_edited) {
  Json json = parsed(path);
  const std::string schema =
      json.is_object() && json.contains("schema") ? short_text(json["schema"]) : "nothing";
  if (schema != short_text(kSchema)) {
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
  return from_json(Keys(json, path));
}

void write_run_info(const std::string& path, const RunInfo& info) {
  // Through text and back, so that what is not UTF-8 is replaced before the checksum is taken.
  Json json = Json::parse(json_text(to_json(info)));
  const std::string checksum = checksum_of(json);
  json[kChecksum] = checksum;
  write_file_atomically(path, json_text(json));
}

}  // namespace traceml
