#pragma once
// raw/commands.csv: one row a launch, with the checksum lines of every raw file (docs/files.md).

#include <string>
#include <vector>

#include "harness/codec/checksummed_file.h"
#include "harness/codec/run_id.h"
#include "harness/core/command_record.h"

namespace traceml {

class CommandFile {
 public:
  // Creates DIR/commands.csv, which must not exist yet; arm_names[i] is the name of ArmIndex{i}.
  // Throws RunError (disk full, ...) from here and from append().
  CommandFile(const std::string& dir, RunId run, std::vector<std::string> arm_names);

  // On the disk when it returns.
  void append(const CommandRecord& launch);

 private:
  ChecksummedFile file_;
  std::vector<std::string> arm_names_;
};

// Throws RunError naming file and line where the file is of another run, was edited (unless
// accept_edited) or holds no launch. A torn last row is left out and named in `warnings`.
std::vector<CommandRecord> read_commands(const std::string& dir, RunId run,
                                         const std::vector<std::string>& arm_names,
                                         bool accept_edited, std::vector<std::string>* warnings);

}  // namespace traceml
