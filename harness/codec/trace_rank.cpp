// Of kineto_trace.h, in builds with and without the reader.

#include <algorithm>
#include <charconv>

#include "harness/codec/kineto_trace.h"

namespace traceml {
namespace {

std::optional<int> number_in(std::string_view digits) {
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || digits.empty()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<int> rank_in_file_name(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  constexpr std::string_view kWord = "rank";
  for (std::size_t at = file.find(kWord); at != file.npos; at = file.find(kWord, at + 1)) {
    std::string_view rest = file.substr(at + kWord.size());
    if (!rest.empty() && (rest.front() == '_' || rest.front() == '-')) rest.remove_prefix(1);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (const auto rank = number_in(rest.substr(0, digits))) return rank;
  }
  return std::nullopt;
}

}  // namespace traceml
