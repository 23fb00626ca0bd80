#pragma once
// JSON written by others, read strictly as to its form and tolerantly as to numbers: bare NaN,
// Infinity and -Infinity, which Python writes, become texts, so that they are values and no
// numbers. For sources of this room only.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace traceml {

// The object in `text`. Throws UsageError opening with `name` and line:column: not JSON, not
// UTF-8, a byte order mark, a number that no double holds, a top level that is no object.
nlohmann::json parse_json_object(const std::string& text, const std::string& name);

// The same of a file. An unreadable file is a UsageError, too.
nlohmann::json read_json_object(const std::string& path);

// Of a value that stood in the file as bare NaN, Infinity or -Infinity: that number.
std::optional<double> bare_nonfinite(const nlohmann::json& value);

// The byte at which the text opens its 101st level, if it does: readers below may recurse.
std::optional<std::size_t> json_too_deep_at(std::string_view text);

// One object of a file and where it lies, for sentences about what is wrong in it.
class JsonPlace {
 public:
  // `json` must outlive the place and be an object.
  JsonPlace(const nlohmann::json& json, std::string file, std::string path = "")
      : json_(&json), file_(std::move(file)), path_(std::move(path)) {}

  const nlohmann::json& json() const { return *json_; }

  // Throws UsageError where it is missing or no object: "a.json: step_time.groups is not an
  // object".
  JsonPlace object(const std::string& key) const;

  // nullopt where it is missing or null; throws UsageError where it is no object.
  std::optional<JsonPlace> optional_object(const std::string& key) const;

  // nullopt where it is missing or null. Every other value that is no finite number above zero
  // (true, "100", 0, -1, NaN) is NaN: given, and no time.
  std::optional<double> time(const std::string& key) const;

  // nullopt unless it is a finite number, zero and negative ones included.
  std::optional<double> number(const std::string& key) const;

  // nullopt unless it is a whole number of at least 0.
  std::optional<std::int64_t> count(const std::string& key) const;

  // Empty unless it is a text.
  std::string text(const std::string& key) const;

  [[noreturn]] void fail(const std::string& key, const std::string& fault) const;

 private:
  const nlohmann::json* json_;
  std::string file_;
  std::string path_;  // "step_time.groups"; empty at the top
};

}  // namespace traceml
