#pragma once

#include <string>

#include "harness/analysis/selfcheck.h"
#include "harness/codec/noise_profile.h"
#include "harness/codec/selfcheck_request.h"

namespace traceml {

// All that reports of a self-check show. `profile`: what is written beside them; its numbers are
// those of summary.noise.
struct SelfcheckReport {
  SelfcheckRequest request;
  SelfcheckSummary summary;
  NoiseProfile profile;
  std::string config_name;
  std::string clock;     // "virtual clock" where the times are simulated, else empty
  int unfinished = 0;    // runs that did not finish and were measured anew
  int finished = 0;      // runs that did
  std::string withheld;  // why the runs show nothing, whatever they say; else empty

  bool is_whole() const { return finished >= request.runs; }
};

// 4 for a check that was not finished; else that of the summary, and 11 in place of 0 where it is
// withheld.
int exit_code_of(const SelfcheckReport& report);

// selfcheck.json (docs/files.md). Null is not known; numbers read back to the same doubles.
std::string write_selfcheck_json(const SelfcheckReport& report);

}  // namespace traceml
