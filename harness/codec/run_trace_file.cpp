#include "harness/codec/run_trace_file.h"
#include "harness/codec/gzip_byte_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace traceml {
namespace {

struct Place {
  int rank = 0;
  long long cycle = 0;
};

std::optional<Place> place_of(const std::string& name) {
  Place place;
  int end = 0;
  if (std::sscanf(name.c_str(), "rank_%d.cycle_%lld.json.gz%n", &place.rank, &place.cycle, &end) !=
      2) {
    return std::nullopt;
  }
  if (end != static_cast<int>(name.size()) || place.rank < 0 || place.cycle < 0)
    return std::nullopt;
  return place;
}

std::vector<std::pair<Place, std::string>> files_in(const std::string& dir) {
  std::vector<std::pair<Place, std::string>> files;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(dir + "/trace", absent)) {
    const std::string name = entry.path().filename().string();
    if (const auto place = place_of(name)) files.emplace_back(*place, dir + "/trace/" + name);
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.first.rank < b.first.rank; });
  return files;
}

}  // namespace

bool writes_run_traces() {
  return gzip_built();
}

std::string run_trace_name(Rank rank, std::int64_t cycle) {
  return fmt::format("rank_{:04}.cycle_{}.json.gz", rank.value, cycle);
}

std::vector<std::string> run_trace_files(const std::string& dir, std::int64_t cycle) {
  std::vector<std::string> paths;
  for (const auto& [place, path] : files_in(dir)) {
    if (place.cycle == cycle) paths.push_back(path);
  }
  return paths;
}

std::vector<std::int64_t> run_trace_cycles(const std::string& dir) {
  std::set<std::int64_t> cycles;
  for (const auto& [place, path] : files_in(dir)) cycles.insert(place.cycle);
  return {cycles.begin(), cycles.end()};
}

}  // namespace traceml
