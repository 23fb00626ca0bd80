#include "workloads/input/dataset_list.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/core/error.h"
#include "workloads/input/shown_entry.h"

namespace traceml {

namespace {

using Json = nlohmann::json;

constexpr const char* kForm = R"({"CLASS": ["CLASS/ID", ...], ...})";

[[noreturn]] void fail(const std::string& place, const std::string& fault) {
  throw RunError(fmt::format("{} of the data set {}", place, fault));
}

bool is_folder_or_file_name(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.find('\0') == std::string_view::npos;
}

bool is_entry(std::string_view entry) {
  if (entry.find('/') == std::string_view::npos) return false;
  for (;;) {
    const std::size_t slash = entry.find('/');
    if (!is_folder_or_file_name(entry.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    entry.remove_prefix(slash + 1);
  }
}

void add_entry(const std::string& entry, const std::string& place, DatasetList& list) {
  if (!is_entry(entry)) {
    fail(place, fmt::format("has the entry \"{}\", which is not CLASS/ID", shown_entry(entry)));
  }
  list[entry.substr(0, entry.find('/'))].push_back("images/" + entry + ".jpg");
}

std::string place_in(const std::string& text, std::size_t byte, const std::string& name) {
  const std::string_view before = std::string_view(text).substr(0, byte);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = before.size() - (line_end == before.npos ? 0 : line_end + 1) + 1;
  return fmt::format("{}:{}:{}", name, line, column);
}

Json parse(const std::string& text, const std::string& name) {
  // A list of texts in an object: what lies deeper is not built at all.
  const auto shallow = [&](int depth, Json::parse_event_t event, Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth > 1) fail(name, fmt::format("is nested deeper than {}", kForm));
    return true;
  };
  try {
    return Json::parse(text, shallow);
  } catch (const Json::parse_error& error) {
    const std::size_t byte = error.byte == 0 ? 0 : error.byte - 1;
    fail(place_in(text, byte, name),
         byte >= text.size() ? "is not JSON: it ends too early" : "is not JSON at this place");
  } catch (const Json::exception&) {
    fail(name, "holds a number that is too large to read");
  }
}

}  // namespace

DatasetList read_json_list(const std::string& text, const std::string& name) {
  const Json classes = parse(text, name);
  if (!classes.is_object()) {
    fail(name, fmt::format("is {}; it must be {}", classes.type_name(), kForm));
  }
  DatasetList list;
  for (const auto& [class_name, entries] : classes.items()) {
    if (!is_folder_or_file_name(class_name) || class_name.find('/') != std::string::npos) {
      fail(name,
           fmt::format("has the class \"{}\", which names no folder", shown_entry(class_name)));
    }
    if (!entries.is_array()) {
      fail(name, fmt::format("has {} for the class \"{}\"; it must be {}", entries.type_name(),
                             shown_entry(class_name), kForm));
    }
    list[class_name];
    for (const Json& entry : entries) {
      if (!entry.is_string()) {
        fail(name, fmt::format("has {} in the class \"{}\"; it must be {}", entry.type_name(),
                               shown_entry(class_name), kForm));
      }
      add_entry(entry.get<std::string>(), name, list);
    }
  }
  return list;
}

DatasetList read_text_list(const std::string& text, const std::string& name) {
  DatasetList list;
  std::string_view rest = text;
  for (std::int64_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view entry = rest.substr(0, end);
    while (!entry.empty() && std::isspace(static_cast<unsigned char>(entry.back()))) {
      entry.remove_suffix(1);
    }
    if (!entry.empty()) add_entry(std::string(entry), fmt::format("{}:{}", name, line), list);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return list;
}

}  // namespace traceml
