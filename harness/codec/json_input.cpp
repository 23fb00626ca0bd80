#include "harness/codec/json_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "harness/codec/atomic_file.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

using Json = nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Token {
  double value;
  std::string_view bare;
  std::string_view text;  // of the same length, so that places stay right
};
constexpr std::array<Token, 3> kTokens = {Token{-kInfinity, "-Infinity", "\"-Infini\""},
                                          Token{kInfinity, "Infinity", "\"Infini\""},
                                          Token{kNan, "NaN", "\"N\""}};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string place_of(const std::string& text, std::size_t byte) {
  const std::string_view before = std::string_view(text).substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t break_at = before.rfind('\n');
  const std::size_t column = before.size() - (break_at == before.npos ? 0 : break_at + 1) + 1;
  return fmt::format("{}:{}", line, column);
}

constexpr int kDeepest = 100;  // far deeper than any run writes

std::string with_bare_tokens_as_texts(std::string text) {
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (in_text && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      in_text = !in_text;
    } else if (!in_text && (at == 0 || !is_word(text[at - 1]))) {
      for (const auto& [value, bare, quoted] : kTokens) {
        const std::size_t end = at + bare.size();
        if (text.compare(at, bare.size(), bare) != 0) continue;
        if (end < text.size() && is_word(text[end])) continue;
        text.replace(at, bare.size(), quoted);
        at = end - 1;
        break;
      }
    }
  }
  return text;
}

}  // namespace

std::optional<double> bare_nonfinite(const nlohmann::json& value) {
  for (const Token& token : kTokens) {
    if (value == token.text.substr(1, token.text.size() - 2)) return token.value;
  }
  return std::nullopt;
}

std::optional<std::size_t> json_too_deep_at(std::string_view text) {
  bool in_text = false;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (in_text && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      in_text = !in_text;
    } else if (!in_text && (text[at] == '{' || text[at] == '[')) {
      if (++depth > kDeepest) return at;
    } else if (!in_text && (text[at] == '}' || text[at] == ']')) {
      --depth;
    }
  }
  return std::nullopt;
}

Json parse_json_object(const std::string& text, const std::string& name) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    throw UsageError(
        fmt::format("{}:1:1: starts with a byte order mark; save it as UTF-8 without one", name));
  }
  if (const auto at = json_too_deep_at(text)) {
    throw UsageError(
        fmt::format("{}:{}: is nested deeper than {} levels", name, place_of(text, *at), kDeepest));
  }
  Json json;
  try {
    json = Json::parse(with_bare_tokens_as_texts(text));
  } catch (const Json::parse_error& error) {
    const std::size_t byte = error.byte == 0 ? 0 : error.byte - 1;
    throw UsageError(fmt::format("{}:{}: is not JSON{}", name, place_of(text, byte),
                                 byte >= text.size() ? ": it ends too early" : " at this place"));
  } catch (const Json::exception&) {
    throw UsageError(fmt::format("{}: holds a number that is too large to read", name));
  }
  if (!json.is_object()) {
    throw UsageError(
        fmt::format("{}:1:1: is {} and no object; it must be a run.json or a final_summary.json",
                    name, json.type_name()));
  }
  return json;
}

Json read_json_object(const std::string& path) {
  std::string text;
  try {
    text = read_whole_file(path);
  } catch (const RunError& error) {
    throw UsageError(error.what());
  }
  return parse_json_object(text, path);
}

void JsonPlace::fail(const std::string& key, const std::string& fault) const {
  const std::string path = path_.empty() ? key : path_ + "." + key;
  throw UsageError(fmt::format("{}: {} {}", file_, path, fault));
}

JsonPlace JsonPlace::object(const std::string& key) const {
  const auto found = json_->find(key);
  if (found == json_->end()) fail(key, "is missing");
  if (!found->is_object()) fail(key, fmt::format("is {} and no object", found->type_name()));
  return {*found, file_, path_.empty() ? key : path_ + "." + key};
}

std::optional<JsonPlace> JsonPlace::optional_object(const std::string& key) const {
  const auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  return object(key);
}

std::optional<double> JsonPlace::time(const std::string& key) const {
  const auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return std::nullopt;
  const std::optional<double> value = number(key);
  return value && *value > 0 ? *value : std::numeric_limits<double>::quiet_NaN();
}

std::optional<double> JsonPlace::number(const std::string& key) const {
  const auto found = json_->find(key);
  if (found == json_->end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> JsonPlace::count(const std::string& key) const {
  constexpr double kLargest = 9007199254740992;  // 2^53: every double below is exact
  const std::optional<double> value = number(key);
  if (!value || *value < 0 || *value > kLargest || *value != std::floor(*value)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*value);
}

std::string JsonPlace::text(const std::string& key) const {
  const auto found = json_->find(key);
  return found != json_->end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace traceml
