#include "harness/app/results_dir.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <ctime>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

#include "harness/core/error.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

RunError cannot_make(const fs::path& dir, const std::error_code& error) {
  return RunError(fmt::format("cannot make the results folder {}: {}; choose another with --out",
                              dir.string(), error.message()));
}

// False where it is there already: of several runs that want one name, one gets it.
bool make_new(const fs::path& dir) {
  std::error_code error;
  const bool made = fs::create_directory(dir, error);
  if (error == std::errc::file_exists) return false;  // no folder
  if (error) throw cannot_make(dir, error);
  return made;
}

void make_parents(const fs::path& dir) {
  std::error_code error;
  if (dir.has_parent_path()) fs::create_directories(dir.parent_path(), error);
  if (error) throw cannot_make(dir, error);
}

void refuse_unless_empty(const std::string& wanted) {
  std::error_code error;
  if (fs::is_directory(wanted, error) && fs::is_empty(wanted, error)) return;
  throw UsageError(
      fmt::format("--out {} is not an empty folder; results are never overwritten", wanted));
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
  if (ignored) fs::remove(fresh, ignored);
}

// The folder of `base` that was made last, `latest` apart.
std::optional<fs::path> newest_in(const fs::path& base) {
  std::optional<fs::path> newest;
  for (const fs::directory_entry& entry : fs::directory_iterator(base)) {
    if (entry.is_symlink() || !entry.is_directory()) continue;
    if (!newest || entry.last_write_time() > fs::last_write_time(*newest)) newest = entry.path();
  }
  return newest;
}

bool latest_points_to(const fs::path& dir) {
  const fs::path link = dir.parent_path() / "latest";
  return fs::is_symlink(link) && fs::read_symlink(link) == dir.filename();
}

}  // namespace

void discard_results_dir(const std::string& dir, bool keep_folder) noexcept {
  try {
    std::error_code error;
    const fs::path raw = fs::path(dir) / "raw";
    fs::remove_all(raw, error);
    // Another rank may be making a file in it just now.
    for (int tries = 0; tries < 100 && fs::exists(raw, error); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      fs::remove_all(raw, error);
    }
    fs::remove(fs::path(dir) / "hosts.json", error);
    if (keep_folder || !fs::is_empty(dir)) return;
    const bool was_latest = latest_points_to(dir);
    fs::remove(dir);
    if (!was_latest) return;
    const fs::path base = fs::path(dir).parent_path();
    fs::remove(base / "latest");
    if (const auto newest = newest_in(base)) point_latest_to(*newest);
  } catch (const std::exception&) {  // it stays then
  }
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string make_results_dir(const std::string& wanted, const std::string& name,
                             const std::string& utc_time, const std::string& inside) {
  if (!wanted.empty()) {
    make_parents(wanted);
    if (!make_new(wanted)) refuse_unless_empty(wanted);
    if (!make_new(fs::path(wanted) / inside)) refuse_unless_empty(wanted);
    return wanted;
  }
  std::string stamp = utc_time;
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  const fs::path base = fs::path("results") / fmt::format("{}-{}", file_name_of(name), stamp);
  fs::path dir = base;
  make_parents(dir);
  for (int again = 2; !make_new(dir); ++again) dir = fmt::format("{}-{}", base.string(), again);
  make_new(dir / inside);
  point_latest_to(dir);
  return dir.string();
}

}  // namespace traceml
