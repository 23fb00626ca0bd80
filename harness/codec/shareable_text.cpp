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

}  // namespace traceml
