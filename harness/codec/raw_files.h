#pragma once
// The raw CSV files of one rank. Appended and flushed to disk after each window, closed by a
// checksum line, so that a run that dies keeps every finished window and an edited or torn file is
// named.

#include <memory>
#include <string>
#include <vector>

#include "harness/codec/run_id.h"
#include "harness/core/campaign.h"
#include "harness/core/records.h"

namespace traceml {

// Whether the run has an instrumented arm with a loader, and so files of its batches.
bool keeps_inputs(const CampaignFacts& facts);

struct OptionalFiles {
  bool device = false;  // there is a monitor
  bool input = false;   // keeps_inputs()
};

class RawWriter {
 public:
  // Creates DIR and in it windows_rank_0000.csv, steps_..., collectives_... and, of those that
  // there are, device_... and input_...; arm_names[i] is the name of ArmIndex{i}. Throws RunError
  // (file exists, disk full, not writable) from here and from append().
  RawWriter(const std::string& dir, RunId run, Rank rank, std::vector<std::string> arm_names,
            OptionalFiles optional = {});
  ~RawWriter();
  RawWriter(const RawWriter&) = delete;
  RawWriter& operator=(const RawWriter&) = delete;

  // One window or, with no window record, the warm-up of an arm: rows of each file, then its
  // checksum line, then fdatasync. Blocks on the disk: outside windows only.
  void append(const std::vector<WindowRecord>& windows, const std::vector<StepRecord>& steps,
              const std::vector<CollectiveRecord>& collectives,
              const std::vector<DeviceRecord>& devices = {},
              const std::vector<InputRecord>& inputs = {});

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

// The raw files of a run, before they are read.
struct RawFolder {
  std::string path;
  RunId run;  // whose files they must be
  std::vector<std::string> arm_names;
  bool accept_edited = false;  // what was edited or belongs to another run is a warning
};

// Throws RunError naming file and line where a file is of another run or rank or a checksum does
// not match, unless accept_edited. A torn last window is left out and named in `warnings`, as is a
// missing file (docs/files.md); a device file is there where a monitor was.
RankRecords read_rank_records(const RawFolder& folder, Rank rank,
                              std::vector<std::string>* warnings);

// Of all ranks that have files. A rank without its steps file reported nothing, one without its
// collectives lacks those alone; both are warnings. Throws RunError as above and, accept_edited or
// not, for a rank that the run did not have and for rows that its plan does not hold.
std::vector<RankRecords> read_run_records(const RawFolder& folder, const CampaignFacts& facts,
                                          std::vector<std::string>* warnings);

// Ranks that have files in `dir`, in order.
std::vector<Rank> ranks_in(const std::string& dir);

// The raw files of one rank as one string, for a gather: for each file a line "NAME BYTES", then
// its bytes. Throws RunError where a file is missing.
std::string pack_raw_files(const std::string& dir, Rank rank);

// Writes those files of a packed string that `dir` does not hold yet (a shared folder holds them).
// Throws RunError for a string that pack_raw_files did not make, and for write errors.
void unpack_raw_files(const std::string& packed, const std::string& dir);

}  // namespace traceml
