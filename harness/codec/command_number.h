#pragma once
// The one number of a launch, taken from what it wrote.

#include <optional>
#include <string>

#include "harness/core/units.h"
#include "harness/plan/config.h"

namespace traceml {

// Where a launch left what it wrote. Files that are not there are told in the fault.
struct CommandOutput {
  std::string output;             // its standard output
  std::string error;              // its standard error
  std::string working_directory;  // where relative files of the config start
};

// Tells a file that a launch wrote from one that was there before.
struct FileStamp {
  std::int64_t bytes = -1;  // -1: no such file
  std::int64_t changed_ns = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

// The stamp of the file that holds the command's number, to be taken before the launch; nullopt
// where it lies in no file.
std::optional<FileStamp> stamp_before(const CommandConfig& command, const CommandOutput& files);

struct NumberReading {
  std::optional<double> value;  // as found, be it zero, negative, infinite or NaN
  std::string fault;            // why there is none: one sentence without its full stop
};

// `command` has exactly one place of its number, without placeholders. Never throws for what a
// launch wrote.
NumberReading read_number(const CommandConfig& command, const CommandOutput& files,
                          const std::optional<FileStamp>& before, Nanos wall);

}  // namespace traceml
