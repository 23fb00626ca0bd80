#include "harness/app/run_folders.h"

#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "harness/app/finished_run.h"
#include "harness/app/ranks.h"
#include "harness/app/results_dir.h"
#include "harness/codec/raw_format.h"
#include "harness/codec/shareable_text.h"
#include "harness/core/error.h"

namespace traceml {
namespace {

// At once or not at all: the launcher may be about to kill this process, and the disk may be what
// failed. The sentence has been printed.
void leave_sentence(const std::string& file, const std::string& sentence) {
  const std::string temporary = file + ".tmp";
  std::error_code error;
  if (std::ofstream(temporary) << sentence << std::endl) {
    std::filesystem::rename(temporary, file, error);
  } else {
    std::filesystem::remove(temporary, error);
  }
}

// What becomes of a run that fails: the windows that were stored are kept, a folder without any is
// taken back.
FailureActs acts_of(const std::string& dir, const std::string& scratch, Rank rank,
                    bool keep_folder) {
  FailureActs acts;
  acts.what_is_left = [dir, scratch](bool stored) -> std::string {
    if (!stored) return "no window was finished";
    const std::string report = "traceml-bench report " + dir;
    if (scratch.empty()) return "finished windows are kept: " + report;
    return fmt::format(
        "finished windows are kept on each node in {0}/raw: copy them to {1}/raw, "
        "then {2}",
        scratch, dir, report);
  };
  acts.after_words = [dir, scratch, rank, keep_folder](const std::string& sentence, bool stored) {
    if (!stored) {
      discard_results_dir(dir, keep_folder);
      if (!scratch.empty()) discard_results_dir(scratch, false);
      return;
    }
    leave_sentence(failure_file(dir + "/raw", rank), sentence);
    if (std::filesystem::exists(dir + "/verdict.txt")) return;  // it was only not printed
    leave_sentence(dir + "/verdict.txt",
                   fmt::format("RUN FAILED (exit {}): {}", value_of(ExitCode::kRunFailed),
                               without_folders(sentence)));
  };
  return acts;
}

}  // namespace

RunFolders agree_on_folders(Transport& transport, RunWatch& watch, const RunArguments& arguments,
                            const std::string& name, const std::string& created) {
  const bool root = transport.rank() == Rank{0};
  std::string there_before;  // of rank 0, which makes it
  std::string dir = together(transport, [&] {
    if (!root) return std::string();
    if (!arguments.out.empty() && std::filesystem::exists(arguments.out)) there_before = "yes";
    return make_results_dir(arguments.out, name, created);
  });
  dir = transport.broadcast(dir);
  const bool keep_folder = !transport.broadcast(there_before).empty();
  RunFolders folders{dir, ""};
  if (!arguments.scratch.empty()) {
    const auto folder = std::filesystem::path(dir).lexically_normal().filename();
    folders.scratch = (std::filesystem::path(arguments.scratch) / folder).string();
  }
  watch.set_acts(acts_of(dir, folders.scratch, transport.rank(), keep_folder));
  together(transport, [&] {
    std::error_code error;
    const std::string raw = folders.of_raw() + "/raw";
    std::filesystem::create_directories(raw, error);
    if (error) throw RunError(fmt::format("cannot make {}: {}", raw, error.message()));
    return true;
  });
  return folders;
}

void clear_scratch(const RunFolders& folders, Rank rank) noexcept {
  if (folders.scratch.empty()) return;
  try {
    const std::filesystem::path raw = std::filesystem::path(folders.scratch) / "raw";
    std::error_code ignored;
    for (const RawFile file : kRawFiles) {
      std::filesystem::remove(raw / raw_file_name(file, rank), ignored);
    }
    std::filesystem::remove(raw, ignored);  // refused while another rank's files are there
    std::filesystem::remove(folders.scratch, ignored);
  } catch (const std::exception&) {  // they stay then
  }
}

}  // namespace traceml
