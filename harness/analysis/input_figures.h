#pragma once
// Where the time of an arm's input pipeline goes, from the records of its batches. Over the timed
// steps of its valid windows; host clock, but for what is named otherwise.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ids.h"
#include "harness/core/units.h"

namespace traceml {

// One rank, or the mean over ranks.
struct InputFigures {
  std::int64_t batches = 0;
  // Of a sample, on its worker.
  Millis read{}, decode{}, resize{};
  std::optional<Millis> cpu;  // processor time in these three
  // Of a batch.
  Millis slot_wait{};                 // of all workers: held back, for lack of a free batch
  Millis worker_wait{};               // of the training thread: no batch was ready
  std::optional<Millis> engine_wait;  // of all workers, for the GPU's JPEG engines; null: not used
  // Of a step.
  std::optional<Millis> copy;          // its own time, beside the step or not
  std::optional<Millis> exposed_copy;  // h2d, on the device where its clock is complete
  std::optional<Millis> device_wait;   // input_wait on the device clock
  Millis step{};                       // wall per step of the rank
  std::optional<double> utilisation;   // share of their time that workers read, decode or resize
  // Batches ready when one was asked for. Null without a queue.
  std::optional<double> queue_mean, queue_min, queue_empty;  // empty: share of the takes
  std::array<std::optional<double>, 4> queue_quarters{};     // mean depth, by quarter of the window
  std::optional<double> queue_shrink;  // batches that it lost from start to end, sum over windows

  Millis sample() const { return read + decode + resize; }
  // What the step lost: on the device, where that is known.
  Millis waited() const { return device_wait.value_or(worker_wait); }
  Millis copied() const { return exposed_copy.value_or(Millis{}); }
};

struct RankInput {
  Rank rank;
  InputFigures figures;
};

// A file that was the slowest sample of its batch.
struct SlowFile {
  std::string file;  // relative to the data set
  Millis cost{};     // mean over the batches in which it was the slowest
  std::int64_t batches = 0;
  double times_usual = 0;  // cost / the usual sample's
};

enum class InputCause {
  kConsumer,  // not input-bound
  kDecode,    // input-bound
  kEngines,   // the GPU's JPEG engines are the limit
  kRead,
  kSlowFiles,
  kCopy,
  kUnknown,  // cannot tell
};

// "input-bound", "engine-bound", "read-bound", "held up by slow files", "copy-bound", "not
// input-bound", "cannot tell".
std::string_view words_of(InputCause cause);

// In run.json: "input_bound", ...
std::string_view name_of(InputCause cause);

struct InputDiagnosis {
  InputCause cause = InputCause::kUnknown;
  std::optional<Rank> rank;           // that was diagnosed, where there are several
  std::string why;                    // with the arithmetic; no full stop
  std::optional<int> workers_needed;  // of each rank; null where workers are not what is missing
};

struct InputSummary {
  int workers = 0;         // of each rank; 0: the training thread makes the batches
  std::int64_t batch = 0;  // samples
  InputFigures mean;
  std::vector<RankInput> ranks;
  std::vector<SlowFile> slowest;  // costliest first, at most five
  Millis usual_sample{};          // median over batches of the mean of all samples but the slowest
  // Samples a second and rank. Demand: what the step would take in without its input; null where
  // neither a matched reference nor the step's own phases tell.
  std::optional<double> supply, demand;
  std::string demand_of;  // "reference": the arm; "own step": less input_wait and h2d
  InputDiagnosis diagnosis;
};

}  // namespace traceml
