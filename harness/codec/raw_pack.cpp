#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/codec/atomic_file.h"
#include "harness/codec/raw_files.h"
#include "harness/codec/raw_format.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

// Only names that raw_file_name makes: what other ranks send never names another place.
bool is_raw_file_name(std::string_view name) {
  const std::size_t digits = name.find_first_of("0123456789");
  const std::size_t dot = name.find('.');
  if (digits == std::string_view::npos || dot == std::string_view::npos || dot < digits) {
    return false;
  }
  const auto rank = number_in(name.substr(digits, dot - digits));
  if (!rank || *rank > 99'999'999) return false;
  for (const RawFile file : kRawFiles) {
    if (name == raw_file_name(file, Rank{static_cast<int>(*rank)})) return true;
  }
  return false;
}

// Takes "NAME BYTES\n" and the bytes off the front.
std::pair<std::string_view, std::string_view> take_file(std::string_view* rest) {
  const std::size_t line_end = rest->find('\n');
  const std::string_view line = rest->substr(0, line_end);
  const std::size_t space = line.find(' ');
  if (line_end != std::string_view::npos && space != std::string_view::npos) {
    const std::string_view name = line.substr(0, space);
    const auto bytes = number_in(line.substr(space + 1));
    rest->remove_prefix(line_end + 1);
    if (is_raw_file_name(name) && bytes && *bytes <= rest->size()) {
      const std::string_view content = rest->substr(0, *bytes);
      rest->remove_prefix(*bytes);
      return {name, content};
    }
  }
  throw RunError("the gathered raw files of a rank are torn: the run's MPI lost or changed bytes");
}

}  // namespace

std::string pack_raw_files(const std::string& dir, Rank rank) {
  std::string packed;
  for (const RawFile file : kRawFiles) {
    const std::string name = raw_file_name(file, rank);
    if (may_be_absent(file) && !std::filesystem::exists(dir + "/" + name)) continue;
    const std::string text = read_whole_file(dir + "/" + name);
    packed += fmt::format("{} {}\n", name, text.size());
    packed += text;
  }
  return packed;
}

void unpack_raw_files(const std::string& packed, const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) throw RunError(fmt::format("cannot create folder {}: {}", dir, error.message()));
  std::string_view rest = packed;
  while (!rest.empty()) {
    const auto [name, content] = take_file(&rest);
    const std::string path = fmt::format("{}/{}", dir, name);
    if (!std::filesystem::exists(path, error)) write_file_atomically(path, content);
  }
}

}  // namespace traceml
