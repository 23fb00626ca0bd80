#include "harness/app/results_dir.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "harness/core/error.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

void make_raw(const fs::path& dir) {
  std::error_code error;
  fs::create_directories(dir / "raw", error);
  if (error) {
    throw RunError(fmt::format("cannot make the results folder {}: {}; choose another with --out",
                               dir.string(), error.message()));
  }
}

// A run's name as a file name: letters, digits, '.', '_' and '-' stay.
std::string file_name_of(const std::string& name) {
  std::string safe = name;
  std::replace_if(
      safe.begin(), safe.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-'; },
      '_');
  return safe.empty() || safe.front() == '.' ? "run" + safe : safe;
}

// Without a shared folder or on a file system without links there is no `latest`; nothing else is
// lost.
void point_latest_to(const fs::path& dir) {
  std::error_code ignored;
  const fs::path link = dir.parent_path() / "latest";
  const fs::path fresh = dir.parent_path() / fmt::format(".latest-{}", dir.filename().string());
  if (fs::exists(fs::symlink_status(link, ignored)) && !fs::is_symlink(link, ignored)) return;
  fs::create_directory_symlink(dir.filename(), fresh, ignored);
  fs::rename(fresh, link, ignored);
}

}  // namespace

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string make_results_dir(const std::string& wanted, const std::string& name,
                             const std::string& utc_time) {
  std::error_code error;
  if (!wanted.empty()) {
    if (fs::exists(wanted, error) &&
        (!fs::is_directory(wanted, error) || !fs::is_empty(wanted, error))) {
      throw UsageError(
          fmt::format("--out {} is not an empty folder; results are never overwritten", wanted));
    }
    make_raw(wanted);
    return wanted;
  }
  std::string stamp = utc_time;
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  const fs::path base = fs::path("results") / fmt::format("{}-{}", file_name_of(name), stamp);
  fs::path dir = base;
  for (int again = 2; fs::exists(dir, error); ++again)
    dir = fmt::format("{}-{}", base.string(), again);
  make_raw(dir);
  point_latest_to(dir);
  return dir.string();
}

}  // namespace traceml
