#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "harness/analysis/history.h"
#include "harness/app/commands.h"
#include "harness/app/output_file.h"
#include "harness/app/terminal_style.h"
#include "harness/codec/atomic_file.h"
#include "harness/codec/past_report.h"
#include "harness/core/error.h"
#include "harness/reports/history_text.h"
#include "harness/reports/html/html.h"

namespace traceml {
namespace {

namespace fs = std::filesystem;

bool is_run(const fs::path& dir) {
  std::error_code ignored;
  return fs::exists(dir / "run.json", ignored) || fs::exists(dir / "raw", ignored) ||
         fs::exists(dir / "launches", ignored);
}

// The folders in `dir`, by name; not `latest`, which is one of them a second time.
std::vector<std::string> folders_in(const std::string& dir) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error)) {
    if (entry.is_directory(error) && !entry.is_symlink(error)) {
      folders.push_back(entry.path().string());
    }
  }
  if (error) throw UsageError(fmt::format("cannot read folder {}: {}", dir, error.message()));
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::string place_of(const std::string& dir) {
  std::error_code error;
  const fs::path place = fs::canonical(dir, error);
  return error ? dir : place.string();
}

// Each run's folder once: those that were named, or that lie in one that was.
std::vector<std::string> runs_in(const std::vector<std::string>& named) {
  std::vector<std::string> runs;
  std::set<std::string> places;
  const auto add = [&](const std::string& dir) {
    if (places.insert(place_of(dir)).second) runs.push_back(dir);
  };
  for (const std::string& dir : named) {
    if (!fs::is_directory(dir)) {
      throw UsageError(fmt::format("{} is no folder; name folders of runs", dir));
    }
    if (is_run(dir)) {
      add(dir);
      continue;
    }
    for (const std::string& inner : folders_in(dir)) {
      if (is_run(inner)) add(inner);
    }
  }
  return runs;
}

struct Read {
  std::vector<PastReport> runs;
  LeftOut left_out;
};

Read read_all(const std::vector<std::string>& folders) {
  Read read;
  for (const std::string& folder : folders) {
    try {
      read.runs.push_back(read_past_report(folder));
    } catch (const Error& error) {
      read.left_out.emplace_back(folder, error.what());
    }
  }
  return read;
}

// As it is called among the runs.
std::string anchor_among(const std::vector<PastReport>& runs, const std::string& anchor) {
  if (anchor.empty()) return "";
  for (const PastReport& run : runs) {
    if (place_of(run.folder) == place_of(anchor)) return run.folder;
  }
  throw UsageError(fmt::format("--anchor {} is none of the runs that were read", anchor));
}

}  // namespace

int history_command(const HistoryArguments& arguments) {
  const std::vector<std::string> folders = runs_in(arguments.folders);
  std::vector<std::string> files;
  for (const std::string& folder : folders) files.push_back(folder + "/run.json");
  refuse_to_overwrite("--html", arguments.html, files);
  Read read = read_all(folders);
  if (read.runs.empty()) {
    throw UsageError(read.left_out.empty()
                         ? fmt::format("no run lies in {}", fmt::join(arguments.folders, ", "))
                         : fmt::format("none of {} runs can be read: {}", read.left_out.size(),
                                       read.left_out.front().second));
  }
  HistoryRule rule;
  rule.anchor = anchor_among(read.runs, arguments.anchor);
  const std::vector<RunSeries> history = history_of(std::move(read.runs), rule);
  if (!arguments.html.empty()) {
    write_file_atomically(arguments.html, render_history_html(history, read.left_out));
  }
  const std::string text = arguments.json
                               ? write_history_json(history, read.left_out)
                               : render_history(history, read.left_out, style_of_stdout().columns);
  std::fwrite(text.data(), 1, text.size(), stdout);
  const bool failed = arguments.fail_on_creep && any_creep(history);
  return value_of(failed ? ExitCode::kRegression : ExitCode::kPass);
}

}  // namespace traceml
