#include "harness/codec/shareable_text.h"

#include <algorithm>

namespace traceml {
namespace {

constexpr std::string_view kBeforeWord = " \t\n'\"(=[,:<>|";
constexpr std::string_view kAfterPath = " \t\n'\")],;<>|";

bool starts_path(std::string_view text, std::size_t at) {
  const bool starts_word = at == 0 || kBeforeWord.find(text[at - 1]) != std::string_view::npos;
  const bool is_url = text.substr(at).starts_with("//");
  return starts_word && !is_url && (text[at] == '/' || text.substr(at).starts_with("~/"));
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_absolute(std::string_view path) {
  const bool has_drive = path.size() > 2 && is_letter(path[0]) && path[1] == ':' &&
                         (path[2] == '\\' || path[2] == '/');
  return path.starts_with('/') || path.starts_with("~/") || path.starts_with("\\\\") || has_drive;
}

// Where "(12): main" of a Python frame begins, else npos.
std::size_t frame_line(std::string_view name) {
  const std::size_t close = name.rfind("): ");
  if (close == std::string_view::npos) return close;
  const std::size_t open = name.find_last_not_of("0123456789", close - 1);
  if (close == 0 || open == std::string_view::npos || open + 1 == close) {
    return std::string_view::npos;
  }
  return name[open] == '(' ? open : std::string_view::npos;
}

}  // namespace

std::string without_folders(std::string_view text) {
  std::string shared;
  std::size_t at = 0;
  while (at < text.size()) {
    if (!starts_path(text, at)) {
      shared.push_back(text[at++]);
      continue;
    }
    const std::size_t end = std::min(text.find_first_of(kAfterPath, at), text.size());
    std::string_view path = text.substr(at, end - at);
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    // "/" alone and "/s" name no folder.
    shared.append(slash == 0 ? path : ".../" + std::string(path.substr(slash + 1)));
    at = end;
  }
  return shared;
}

std::string path_without_folders(std::string_view path) {
  if (!is_absolute(path)) return std::string(path);
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.find_last_of("/\\");
  if (slash == 0) return std::string(path);  // "/" alone and "/s" name no folder
  return ".../" + std::string(path.substr(slash + 1));
}

std::string value_without_folders(std::string_view value) {
  return is_absolute(value) ? path_without_folders(value) : without_folders(value);
}

std::string name_without_folders(std::string_view name) {
  const std::size_t line = frame_line(name);
  if (line == std::string_view::npos || !is_absolute(name)) return without_folders(name);
  return path_without_folders(name.substr(0, line)) + std::string(name.substr(line));
}

}  // namespace traceml
