#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "workloads/input/sample_tries.h"

namespace traceml {

// Over the batches that a loader delivered. Consumer's thread; counting allocates only where files
// were replaced.
class RowTotals {
 public:
  RowTotals();

  // A delivered batch. Takes the sentences about replaced files out of it.
  void add(std::span<RowFacts> rows);

  // "samples_delivered", "samples_grey", "samples_replaced", "samples_scaled".
  std::map<std::string, std::int64_t> counters() const;

  // A sentence for each of the first.
  const std::vector<std::string>& replaced_files() const { return replaced_files_; }

 private:
  std::int64_t samples_ = 0;
  std::int64_t grey_ = 0;
  std::int64_t scaled_ = 0;
  std::int64_t replaced_ = 0;
  std::vector<std::string> replaced_files_;
};

}  // namespace traceml
