#pragma once
// What a loader does about files that cannot be decoded (input.on_error), the same for all loaders.

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/plan/config.h"
#include "workloads/input/dataset.h"
#include "workloads/input/image.h"
#include "workloads/input/random.h"
#include "workloads/input/sample_order.h"

namespace traceml {

inline constexpr int kMostReplacements = 100;  // in a row, for one place of a batch

// What happened to one row of a batch; written by the thread that makes it.
struct RowFacts {
  bool grey = false;
  bool scaled = false;
  int replaced = 0;     // files tried in vain for this row
  std::string problem;  // the sentence about the bad file: the first replaced one, or the fatal one
  bool fatal = false;
};

struct SampleTries {
  const SampleOrder& order;
  const Dataset& dataset;
  OnError on_error;
  std::uint64_t seed;

  // Calls make(sample, random) for the sample at this place of the sequence; where that throws
  // ImageError and on_error is kReplace, for the ones that follow it, until one is made. Returns
  // its label. `failed()` is called after each that was not made. Throws RunError naming the file.
  template <typename Make, typename Failed>
  std::int64_t first_made(std::int64_t batch, std::int64_t row, RowFacts* facts, Make&& make,
                          Failed&& failed) const {
    SamplePosition at = order.position(batch, row);
    for (;;) {
      const std::int64_t sample = order.sample(at);
      const Sample& file = dataset.samples[static_cast<std::size_t>(sample)];
      try {
        make(sample, sample_random(seed, at.epoch, sample));
        return file.label;
      } catch (const ImageError& error) {
        failed();
        note(fmt::format("{} {}", file.path, error.what()), facts);
        at = order.following(at);
      }
    }
  }

 private:
  void note(const std::string& problem, RowFacts* facts) const {
    if (on_error == OnError::kStop) {
      throw RunError(
          fmt::format("{}; repair or remove it, or set input.on_error: replace", problem));
    }
    if (facts->replaced == kMostReplacements) {
      throw RunError(fmt::format("{} samples in a row cannot be decoded, the last one: {}",
                                 kMostReplacements + 1, problem));
    }
    if (facts->problem.empty()) facts->problem = problem;
    ++facts->replaced;
  }
};

}  // namespace traceml
